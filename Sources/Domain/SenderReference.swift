package import JSON

/// The sender's own reference for a message: stored and shown with its totals, but never sent to devices. Decision 073.
package struct SenderReference: Equatable, Sendable {
  /// The sender's own id for the message; nil if not given. Need not be unique.
  package var key: String?
  /// Category of service that the message belongs to, for example `ALL` or `PRIVATE`; nil if not given.
  package var service: String?
  package var values: [String] = []

  package init() {}

  package static let object = JSONObject(
    "SenderReference",
    about: "What the sender wants to find again: kept with the message, shown with its numbers, never sent.",
    from: SenderReference(),
    [
      .given("key", .text(upTo: Domain.Limits.referenceBytes), \.key, "Your own name for the message."),
      .given("service", .text(upTo: Domain.Limits.referenceBytes), \.service),
      .given(
        "values",
        .list(
          of: .text(upTo: Domain.Limits.referenceBytes, isEmptyAllowed: true), 0...Domain.Limits.referenceValues,
          tooMany: "is one more than the \(Domain.Limits.referenceValues) that are kept"), \.values),
    ])

  /// Parses the stored form. Returns nil if it is malformed or has members unknown to this release.
  package init?(json: [UInt8]) {
    var reader = JSONReader(json)
    guard let reference = try? Self.object.read(&reader) else { return nil }
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

/// The device that sent a message to other users, and its user. Set only by the server, never by a client.
package struct SenderDevice: Equatable, Sendable {
  package private(set) var device: DeviceID
  package private(set) var clientUID: String

  package init(device: DeviceID, clientUID: String) {
    self.device = device
    self.clientUID = clientUID
  }

  static let object = JSONObject(
    "SenderDevice", about: "The device that a message came from.",
    from: SenderDevice(device: DeviceID(high: 0, low: 0), clientUID: ""),
    [
      .required("device", .device, \.device),
      .required("clientUid", .clientUID, \.clientUID),
    ])

  /// Schema of the device in lists.
  package static let named: JSONTree.Member = (
    "SenderDevice",
    JSONSchema.object(
      "The device that a message came from.",
      [.required("device", JSONSchema.uuid), .required("clientUid", JSONSchema.anyText)])
  )

  package func write(to writer: inout JSONWriter) {
    writer.member("device", device.description)
    writer.member("clientUid", clientUID)
  }
}

extension Domain.Limits {
  package static let referenceBytes = 256
  static let referenceValues = 9
}
