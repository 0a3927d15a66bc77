internal import Domain
internal import HTTP2
internal import PushWire

/// Writes what differs from push to push: path, `apns-id`, body.
struct Composer {
  private let prefix = Array("/3/device/".utf8)
  private static let blankIdentifier = Array("00000000-0000-0000-0000-000000000000".utf8)

  func compose(_ target: PushTarget, of message: PushMessage, into letter: inout Letter) {
    letter.path.removeAll(keepingCapacity: true)
    letter.path.append(contentsOf: prefix)
    letter.path.append(contentsOf: target.psid.utf8)
    if letter.varying.isEmpty { letter.varying = Self.blankIdentifier }
    Self.write(target.device.submissionID(of: message.seqno), to: &letter.varying)
    letter.body.removeAll(keepingCapacity: true)
    message.template.append(for: target.recipient, keys: message.pushkeys, to: &letter.body)
  }

  /// The canonical form of a UUID, in lower case as APNs wants it: only digits change, the hyphens stay.
  private static func write(_ id: DeviceID, to identifier: inout [UInt8]) {
    var position = 0
    for word in [id.high, id.low] {
      for shift in stride(from: UInt64(60), through: 0, by: -4) {
        if position == 8 || position == 13 || position == 18 || position == 23 { position += 1 }
        identifier[position] = Hex.digit(UInt8(word >> shift & 15))
        position += 1
      }
    }
  }

  /// What all pushes of a message have in common on one connection.
  static func template(_ message: PushMessage, authority: String, token: ProviderToken?) -> RequestTemplate {
    // 0 asks for one attempt: what is worth nothing later is not kept for a device that is away.
    let expiration = message.headers.isKeptForDevice ? message.expiresAtSeconds : 0
    var fields: [(field: HeaderField, indexing: RequestTemplate.Indexing)] = [
      (HeaderField(":method", "POST"), .always),
      (HeaderField(":scheme", "https"), .always),
      (HeaderField(":authority", authority), .always),
    ]
    if let token { fields.append((HeaderField("authorization", "bearer " + token.value), .always)) }
    fields += [
      (HeaderField("apns-topic", message.headers.topic), .always),
      (HeaderField("apns-push-type", message.headers.pushType.rawValue), .always),
      (HeaderField("apns-priority", String(message.headers.priority.rawValue)), .always),
      // Apple asks to keep these values out of its small table.
      (HeaderField("apns-expiration", String(expiration)), .nameOnly),
      (HeaderField("apns-collapse-id", message.headers.collapseID), .nameOnly),
    ]
    return RequestTemplate(fields: fields, varying: "apns-id")
  }
}
