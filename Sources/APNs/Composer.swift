internal import Domain
internal import HTTP2
internal import PushTransport

/// Encodes the parts of a request that differ between pushes: path, `apns-id` and body.
struct Composer {
  private let prefix = Array("/3/device/".utf8)

  func compose(_ target: PushTarget, of message: PushMessage, into encoded: inout EncodedPush) {
    encoded.path.removeAll(keepingCapacity: true)
    if message.headers.channel != nil {
      encoded.path.append(contentsOf: "/4/broadcasts/apps/\(message.headers.topic)".utf8)
    } else {
      encoded.path.append(contentsOf: prefix)
      encoded.path.append(contentsOf: target.psid.utf8)
    }
    // Two activities on one device need different ids, so mix the activity's token into the SEQNO.
    let mark = message.headers.pushType == .liveactivity ? Self.mark(of: target.psid) : 0
    target.device.submissionID(of: message.seqno, mixedWith: mark).write(over: &encoded.varying)
    encoded.body.removeAll(keepingCapacity: true)
    message.template.append(for: target.recipient, keys: message.pushkeys, to: &encoded.body)
  }

  /// Returns the FNV-1a hash of a token.
  private static func mark(of psid: String) -> Int64 {
    Int64(bitPattern: psid.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
  }

  /// Returns the header fields that all pushes of a message have in common on one connection.
  static func template(_ message: PushMessage, authority: String, token: ProviderToken?) -> RequestTemplate {
    // 0 asks APNs for a single delivery attempt, for a message that must not be stored for an offline device.
    let expiration = message.headers.isKeptForDevice ? message.keptUntilSeconds : 0
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
      // Apple asks not to index the values of these fields, because its HPACK table is small.
      (HeaderField("apns-expiration", String(expiration)), .nameOnly),
      (HeaderField("apns-collapse-id", message.headers.collapseID), .nameOnly),
    ]
    return RequestTemplate(fields: fields, varying: "apns-id")
  }
}
