internal import Domain
internal import HTTP2
internal import JSON
internal import PushWire

/// Writes messages for FCM. What all recipients of a message share is prepared once; the rest is copied in between.
///
/// `{"message":{"token":"…","android":{"priority":"high","ttl":"600s","data":{"message":"…"}},"apns":{…}}}`
final class Composer {
  private let style: FCMStyle
  private let validatesOnly: Bool
  private let path: [UInt8]
  /// The payload of the recipient at hand.
  private var payload: [UInt8] = []
  // The message composed last: almost always the next one too.
  private var prepared: Prepared?

  /// What a message's requests have in common, in the order written.
  private struct Prepared {
    let message: PushMessage
    let priority: [UInt8]
    /// Behind the time to live, up to the payload as a text.
    let collapseKey: [UInt8]
    let apnsHead: [UInt8]
  }

  init(project: String, style: FCMStyle, validatesOnly: Bool) {
    self.style = style
    self.validatesOnly = validatesOnly
    path = Array("/v1/projects/\(project)/messages:send".utf8)
  }

  /// - Parameter now: seconds since 1970.
  /// - Returns: why FCM would not take it; nil when it was written.
  func compose(_ target: PushTarget, of message: PushMessage, now: Int64, into letter: inout Letter) -> String? {
    if letter.path.isEmpty { letter.path = path }
    payload.removeAll(keepingCapacity: true)
    message.template.append(for: target.recipient, keys: message.pushkeys, to: &payload)
    guard payload.count + Self.dataName.count <= FCM.Limits.payloadBytes else { return Self.tooLarge }
    let prepared = prepare(message)
    letter.body.removeAll(keepingCapacity: true)
    letter.body.append(contentsOf: validatesOnly ? #"{"validate_only":true,"message":{""#.utf8 : #"{"message":{""#.utf8)
    letter.body.append(contentsOf: Self.isFID(target.psid) ? #"fid":""#.utf8 : #"token":""#.utf8)
    JSONWriter.escape(target.psid.utf8, into: &letter.body)
    letter.body.append(contentsOf: #"","#.utf8)
    if style.platforms == .android { writeData(&letter.body) }
    letter.body.append(contentsOf: prepared.priority)
    let ttl = min(max(0, message.expiresAtSeconds - now), FCM.Limits.ttlSeconds)
    letter.body.append(contentsOf: String(ttl).utf8)
    letter.body.append(contentsOf: prepared.collapseKey)
    if style.content == .notification, let notification = notification(of: message) {
      letter.body.append(contentsOf: #","notification":"#.utf8)
      letter.body.append(contentsOf: notification)
    }
    if style.platforms == .all {
      letter.body.append(UInt8(ascii: ","))
      writeData(&letter.body)
      letter.body.removeLast()
      letter.body.append(contentsOf: prepared.apnsHead)
      letter.body.append(contentsOf: payload)
      letter.body.append(UInt8(ascii: "}"))
    } else {
      letter.body.append(UInt8(ascii: "}"))
    }
    letter.body.append(contentsOf: "}}".utf8)
    return nil
  }

  /// The word that an outcome carries, the same as APNs has for it.
  static let tooLarge = "PayloadTooLarge"
  private static let dataName = Array("message".utf8)

  /// The payload as a JSON text, with a comma behind.
  private func writeData(_ body: inout [UInt8]) {
    body.append(contentsOf: #""data":{"message":""#.utf8)
    JSONWriter.escape(payload, into: &body)
    body.append(contentsOf: #""},"#.utf8)
  }

  private func prepare(_ message: PushMessage) -> Prepared {
    if let prepared, prepared.message === message { return prepared }
    // Only what somebody waits for wakes a sleeping device.
    let isHigh = message.lane != .bulk && !message.isBackground
    var collapseKey = Array(#"s""#.utf8)
    if message.collapseID != String(message.seqno) {
      collapseKey.append(contentsOf: #","collapse_key":""#.utf8)
      JSONWriter.escape(message.collapseID.utf8, into: &collapseKey)
      collapseKey.append(UInt8(ascii: "\""))
    }
    var headers = JSONWriter()
    headers.object { writer in
      writer.member("apns-priority", message.isBackground ? "5" : "10")
      writer.member("apns-push-type", message.isBackground ? "background" : "alert")
      writer.member("apns-expiration", String(message.expiresAtSeconds))
      writer.member("apns-collapse-id", message.collapseID)
    }
    let made = Prepared(
      message: message, priority: Array(#""android":{"priority":"\#(isHigh ? "high" : "normal")","ttl":""#.utf8),
      collapseKey: collapseKey,
      apnsHead: Array(#"},"apns":{"headers":"#.utf8) + headers.bytes + Array(#","payload":"#.utf8))
    prepared = made
    return made
  }

  /// What Android shows by itself, out of the payload; nil without an alert.
  private func notification(of message: PushMessage) -> [UInt8]? {
    guard let alert = PayloadAlert(payload) else { return nil }
    var writer = JSONWriter()
    writer.object { writer in
      if let title = alert.title { writer.member("title", title) }
      if let body = alert.body { writer.member("body", body) }
      if let sound = alert.sound { writer.member("sound", sound) }
      if let badge = alert.badge { writer.member("notification_count", badge) }
      // A second one of the same message replaces the first.
      writer.member("tag", message.collapseID)
    }
    return writer.bytes
  }

  /// A Firebase installation ID: 22 characters of base64url, the first four bits 0111.
  static func isFID(_ name: String) -> Bool {
    guard name.utf8.count == 22, let first = name.utf8.first, (0x63...0x66).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
      default: false
      }
    }
  }

  /// What all requests have in common on one connection.
  static func template(authority: String, accessToken: String?) -> RequestTemplate {
    var fields: [(field: HeaderField, indexing: RequestTemplate.Indexing)] = [
      (HeaderField(":method", "POST"), .always),
      (HeaderField(":scheme", "https"), .always),
      (HeaderField(":authority", authority), .always),
      (HeaderField("content-type", "application/json"), .always),
    ]
    if let accessToken { fields.append((HeaderField("authorization", "Bearer " + accessToken), .always)) }
    return RequestTemplate(fields: fields)
  }
}

/// What a payload shows, read back from its bytes.
private struct PayloadAlert {
  var title: String?
  var body: String?
  var sound: String?
  var badge: Int64?

  init?(_ payload: [UInt8]) {
    var found = PayloadAlert()
    var hasAlert = false
    var reader = JSONReader(payload)
    do throws(JSONError) {
      try reader.readObject { (reader, name) throws(JSONError) in
        guard name == "aps" else { return try reader.skip() }
        try reader.readObject { (reader, name) throws(JSONError) in
          switch name {
          case "alert":
            hasAlert = true
            try found.readAlert(&reader)
          case "sound" where try reader.peek() == .string: found.sound = try reader.readString()
          case "badge": found.badge = try reader.readInteger()
          default: try reader.skip()
          }
        }
      }
    } catch {
      return nil
    }
    guard hasAlert else { return nil }
    self = found
  }

  private init() {}

  private mutating func readAlert(_ reader: inout JSONReader) throws(JSONError) {
    if try reader.peek() == .string { return body = try reader.readString() }
    var found = self
    try reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "title": found.title = try reader.readString()
      case "body": found.body = try reader.readString()
      default: try reader.skip()
      }
    }
    self = found
  }
}
