internal import Domain
internal import Postgres
internal import Store

/// Validates and imports lines about devices. A line's tags are added to those that the device already has.
extension ImportBatch {
  mutating func judge(
    _ found: [(line: CSVReader.Line, device: ImportLines.Device)], _ record: inout Imports.Record,
    _ connection: Connection
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

  /// Locks the rows of the devices in valid lines, in key order as all writers of devices do, and adds the tags. Does
  /// nothing without such lines.
  func bringInTags(_ record: Imports.Record, on connection: Connection) throws(PostgresError) {
    guard !tagged.isEmpty else { return }
    _ = try connection.run(Devices.lock(tagged.map(\.device)))
    try connection.run(ImportedDevices.save(tagged, of: record.app))
  }
}
