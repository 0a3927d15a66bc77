internal import Domain
internal import HTTP2
internal import PushTransport

/// Encodes what differs from push to push: path, `apns-id`, body.
struct Composer {
  private let prefix = Array("/3/device/".utf8)

  func compose(_ target: PushTarget, of message: PushMessage, into letter: inout EncodedPush) {
    letter.path.removeAll(keepingCapacity: true)
    if message.headers.channel != nil {
      letter.path.append(contentsOf: "/4/broadcasts/apps/\(message.headers.topic)".utf8)
    } else {
      letter.path.append(contentsOf: prefix)
      letter.path.append(contentsOf: target.psid.utf8)
    }
    // Two activities on one device are two pushes.
    let number = message.headers.pushType == .liveactivity ? message.seqno ^ Self.mark(of: target.psid) : message.seqno
    target.device.submissionID(of: number).write(over: &letter.varying)
    letter.body.removeAll(keepingCapacity: true)
    message.template.append(for: target.recipient, keys: message.pushkeys, to: &letter.body)
  }

  /// FNV-1a.
  private static func mark(of psid: String) -> Int64 {
    Int64(bitPattern: psid.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
  }

  /// What all pushes of a message have in common on one connection.
  static func template(_ message: PushMessage, authority: String, token: ProviderToken?) -> RequestTemplate {
    // 0 asks for a single attempt: a message that is worthless later is not kept for an offline device.
    let expiration = message.headers.isKeptForDevice ? message.expiresAtSeconds : 0
    var fields: [(field: HeaderField, indexing: RequestTemplate.Indexing)] = [
      (HeaderField(":method", "POST"), .always),
      (HeaderField(":scheme", "https"), .always),
      (HeaderField(":authority", authority), .always),
    ]
    if let token { fields.append((HeaderField("authorization", "bearer " + token.value), .always)) }
    if let channel = message.headers.channel {
      fields += [
        (HeaderField("apns-channel-id", channel), .nameOnly),
        (HeaderField("apns-push-type", message.headers.pushType.rawValue), .always),
        (HeaderField("apns-priority", String(message.headers.priority.rawValue)), .always),
        (HeaderField("apns-expiration", String(expiration)), .nameOnly),
      ]
      return RequestTemplate(fields: fields, varying: "apns-request-id")
    }
    fields += [
      (HeaderField("apns-topic", message.headers.topic), .always),
      (HeaderField("apns-push-type", message.headers.pushType.rawValue), .always),
      (HeaderField("apns-priority", String(message.headers.priority.rawValue)), .always),
      // Apple asks to keep these values out of its small HPACK table.
      (HeaderField("apns-expiration", String(expiration)), .nameOnly),
      (HeaderField("apns-collapse-id", message.headers.collapseID), .nameOnly),
    ]
    return RequestTemplate(fields: fields, varying: "apns-id")
  }
}
