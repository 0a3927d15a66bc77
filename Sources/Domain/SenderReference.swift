package import JSON

/// What a sender wants to find again: kept with the message, shown with its numbers, never sent.
package struct SenderReference: Equatable, Sendable {
  /// The sender's own name for the message.
  package var key: String?
  /// What kind of service it belongs to, for example `ALL` or `PRIVATE`.
  package var service: String?
  package var values: [String] = []

  package init() {}

  /// Reads `{"key":"order-7","service":"ALL","values":["…"]}`.
  init(_ reader: inout JSONReader) throws(JSONError) {
    var reference = SenderReference()
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "key": reference.key = try reader.readText(upTo: Domain.Limits.referenceBytes)
      case "service": reference.service = try reader.readText(upTo: Domain.Limits.referenceBytes)
      case "values":
        try reader.readArray { (reader, index) throws(JSONError) in
          guard index < Domain.Limits.referenceValues else {
            throw JSONError("is one more than the \(Domain.Limits.referenceValues) that are kept")
          }
          let value = try reader.readString()
          guard value.utf8.count <= Domain.Limits.referenceBytes else {
            throw JSONError("is longer than \(Domain.Limits.referenceBytes) bytes")
          }
          reference.values.append(value)
        }
      default: throw .unknownField
      }
    }
    self = reference
  }

  /// Reads it back as it was stored; nil when it is not one.
  package init?(json: [UInt8]) {
    var reader = JSONReader(json)
    guard let reference = try? SenderReference(&reader) else { return nil }
    self = reference
  }

  package func write(to writer: inout JSONWriter) {
    if let key { writer.member("key", key) }
    if let service { writer.member("service", service) }
    if !values.isEmpty {
      writer.member("values", array: { writer in for value in values { writer.value(value) } })
    }
  }
}

/// The device that a message came from, when a device sent it. The server writes it; no other sender may.
package struct SenderDevice: Equatable, Sendable {
  package let device: DeviceID
  package let clientUID: String

  package init(device: DeviceID, clientUID: String) {
    self.device = device
    self.clientUID = clientUID
  }

  /// Reads `{"device":"<UUID>","clientUid":"kim01"}`.
  init(_ reader: inout JSONReader) throws(JSONError) {
    var device: DeviceID?
    var clientUID: String?
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "device":
        guard let known = DeviceID(try reader.readString()) else { throw JSONError("must be a device id (a UUID)") }
        device = known
      case "clientUid": clientUID = try reader.readText(upTo: Domain.Limits.clientUIDBytes)
      default: throw .unknownField
      }
    }
    guard let device, let clientUID else { throw JSONError("must name device and clientUid") }
    self.init(device: device, clientUID: clientUID)
  }

  package func write(to writer: inout JSONWriter) {
    writer.member("device", device.description)
    writer.member("clientUid", clientUID)
  }
}

extension Domain.Limits {
  package static let referenceBytes = 256
  package static let referenceValues = 9
}
