internal import Domain
internal import Postgres
internal import Store

/// Parses and imports lines about devices: the device and its tags.
extension ImportBatch {
  struct DeviceLine {
    let device: DeviceID
    let tags: [String]

    static func read(_ fields: [String], columns: [String]) -> Result<DeviceLine, Fault> {
      guard fields.count == columns.count else {
        return .failure(Fault(text: "has \(fields.count) fields instead of \(columns.count)"))
      }
      let cells = Dictionary(zip(columns, fields.map(CSVWriter.read))) { one, _ in one }
      guard let device = DeviceID(cells["device"] ?? "") else {
        return .failure(Fault(text: "device must be a device's id, as lists show it"))
      }
      let tags = (cells["tags"] ?? "").split(separator: ";").map(String.init)
      if let fault = ImportBatch.fault(in: tags) { return .failure(fault) }
      return .success(DeviceLine(device: device, tags: tags))
    }
  }

  /// Returns the fault of the first invalid tag; nil if all are valid.
  static func fault(in tags: [String]) -> Fault? {
    tags.lazy.compactMap { tag in Tag.objection(to: tag).map { Fault(text: "the tag \"\(tag)\" \($0)") } }.first
  }

  mutating func judge(
    _ found: [(line: CSVReader.Line, device: DeviceLine)], _ record: inout Imports.Record, _ connection: Connection
  ) throws(PostgresError) {
    guard !found.isEmpty else { return }
    var tags: [DeviceID: Set<String>] = [:]
    for (_, one) in found { tags[one.device, default: []].formUnion(one.tags) }
    let wanted = tags.map { ImportedDevices.Tagged(device: $0.key, tags: $0.value.sorted()) }
      .sorted { $0.device < $1.device }
    let known = try connection.run(ImportedDevices.known(wanted, of: record.app))
    for (line, one) in found {
      guard let count = known[one.device] else {
        fault(line, "the app has no device \(one.device)", &record)
        continue
      }
      guard count <= Domain.Limits.tagsPerOwner else {
        fault(line, "gives \(one.device) more than \(Domain.Limits.tagsPerOwner) tags", &record)
        continue
      }
      record.imported += 1
    }
    tagged = wanted.filter { (known[$0.device] ?? .max) <= Domain.Limits.tagsPerOwner }
  }

  /// Writes the tags of devices, in key order, as all writers of devices do.
  func bringInTags(_ record: Imports.Record, on connection: Connection) throws(PostgresError) {
    guard !tagged.isEmpty else { return }
    _ = try connection.run(Devices.lock(tagged.map(\.device)))
    try connection.run(ImportedDevices.save(tagged, of: record.app))
  }
}
