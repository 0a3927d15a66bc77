internal import Domain
internal import HTTP2

/// Writes what differs from push to push: path, `apns-id`, body. Keeps its storage between pushes.
struct Composer {
  private(set) var path: [UInt8] = []
  private(set) var identifier: [UInt8] = []
  private(set) var body: [UInt8] = []

  private static let prefix = Array("/3/device/".utf8)

  mutating func compose(_ target: PushTarget, of message: PushMessage) {
    path.removeAll(keepingCapacity: true)
    path.append(contentsOf: Self.prefix)
    path.append(contentsOf: target.psid.utf8)
    identifier.removeAll(keepingCapacity: true)
    Self.append(target.device.submissionID(of: message.seqno), to: &identifier)
    body.removeAll(keepingCapacity: true)
    message.template.append(for: target.recipient, keys: message.pushkeys, to: &body)
  }

  /// The canonical form of a UUID: APNs wants it in lower case.
  private static func append(_ id: DeviceID, to bytes: inout [UInt8]) {
    for index in 0..<16 {
      if index == 4 || index == 6 || index == 8 || index == 10 { bytes.append(UInt8(ascii: "-")) }
      let word = index < 8 ? id.high : id.low
      Hex.append(UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * (index % 8))), to: &bytes)
    }
  }

  /// What all pushes of a message have in common on one connection.
  static func template(_ message: PushMessage, authority: String, token: ProviderToken?) -> RequestTemplate {
    var fields: [(field: HeaderField, indexing: RequestTemplate.Indexing)] = [
      (HeaderField(":method", "POST"), .always),
      (HeaderField(":scheme", "https"), .always),
      (HeaderField(":authority", authority), .always),
    ]
    if let token { fields.append((HeaderField("authorization", "bearer " + token.value), .always)) }
    fields += [
      (HeaderField("apns-topic", message.appID), .always),
      (HeaderField("apns-push-type", message.isBackground ? "background" : "alert"), .always),
      // A background push at priority 10 is an error.
      (HeaderField("apns-priority", message.isBackground ? "5" : "10"), .always),
      // Apple asks to keep these values out of its small table.
      (HeaderField("apns-expiration", String(message.expiresAtSeconds)), .nameOnly),
      (HeaderField("apns-collapse-id", message.collapseID), .nameOnly),
    ]
    return RequestTemplate(fields: fields, varying: "apns-id")
  }
}
