internal import Domain
internal import HTTP2
internal import JSON
internal import PushTransport

/// Encodes messages as FCM requests. The parts that all recipients of a message share are prepared once; the rest is
/// inserted per push.
/// `{"message":{"token":"…","android":{"priority":"high","ttl":"600s","data":{"message":"…"}},"apns":{…}}}`
/// Decisions 080 and 081.
final class Composer {
  private let style: FCMStyle
  private let validatesOnly: Bool
  private let path: [UInt8]
  /// The payload of the current recipient, before it is embedded in the request.
  private var payload: [UInt8] = []
  // The message encoded last, which is almost always the next one too.
  private var prepared: Prepared?

  /// The parts that all requests of a message have in common, in the order written.
  private struct Prepared {
    let message: PushMessage
    let priority: [UInt8]
    /// The message's label in Firebase's reports, preceded by a comma; empty if it has none.
    let label: [UInt8]
    /// The JSON between the digits of the time to live and the payload: the unit `s`, and the collapse key if there is
    /// one.
    let collapseKey: [UInt8]
    let apnsHead: [UInt8]
    let apnsHeaders: [UInt8]
  }

  init(project: String, style: FCMStyle, validatesOnly: Bool) {
    self.style = style
    self.validatesOnly = validatesOnly
    path = Array("/v1/projects/\(project)/messages:send".utf8)
  }

  /// Encodes one push. Returns nil on success, otherwise the reason why FCM would reject it.
  /// - Parameter now: the current time, in seconds since 1970.
  func compose(_ target: PushTarget, of message: PushMessage, now: Int64, into encoded: inout EncodedPush) -> String? {
    let isActivity = message.headers.pushType == .liveactivity
    // Live Activities exist only on iOS devices.
    guard isActivity ? style.platforms == .all : Self.pushTypes.contains(message.headers.pushType) else {
      return Self.unsupported
    }
    if encoded.path.isEmpty { encoded.path = path }
    payload.removeAll(keepingCapacity: true)
    message.template.append(for: target.recipient, keys: message.pushkeys, to: &payload)
    guard payload.count + Self.dataName.count <= FCM.Limits.payloadBytes else { return Self.tooLarge }
    let prepared = prepare(message)
    encoded.body.removeAll(keepingCapacity: true)
    encoded.body.append(
      contentsOf: validatesOnly ? #"{"validate_only":true,"message":{""#.utf8 : #"{"message":{""#.utf8)
    let registration = target.further?.registration ?? target.psid
    encoded.body.append(contentsOf: Self.isFID(registration) ? #"fid":""#.utf8 : #"token":""#.utf8)
    JSONWriter.escape(registration, into: &encoded.body)
    encoded.body.append(contentsOf: #"","#.utf8)
    if isActivity {
      writeActivity(of: target, prepared, &encoded.body)
      return nil
    }
    if style.platforms == .android { writeData(&encoded.body) }
    encoded.body.append(contentsOf: prepared.priority)
    let life = message.headers.isKeptForDevice ? message.keptUntilSeconds - now : 0
    let ttl = min(max(0, life), FCM.Limits.ttlSeconds)
    encoded.body.append(contentsOf: String(ttl).utf8)
    encoded.body.append(contentsOf: prepared.collapseKey)
    if style.content == .notification { writeNotification(of: message, &encoded.body) }
    if style.platforms == .all {
      encoded.body.append(UInt8(ascii: ","))
      writeData(&encoded.body)
      encoded.body.removeLast()
      encoded.body.append(contentsOf: prepared.apnsHead)
      encoded.body.append(contentsOf: payload)
      encoded.body.append(UInt8(ascii: "}"))
    } else {
      encoded.body.append(UInt8(ascii: "}"))
    }
    encoded.body.append(contentsOf: prepared.label)
    encoded.body.append(contentsOf: "}}".utf8)
    return nil
  }

  /// Writes the `apns` block for a Live Activity, whose own token is sent in addition to the device's registration.
  private func writeActivity(of target: PushTarget, _ prepared: Prepared, _ body: inout [UInt8]) {
    body.append(contentsOf: #""apns":{"live_activity_token":""#.utf8)
    JSONWriter.escape(target.psid, into: &body)
    body.append(contentsOf: #"","headers":"#.utf8)
    body.append(contentsOf: prepared.apnsHeaders)
    body.append(contentsOf: #","payload":"#.utf8)
    body.append(contentsOf: payload)
    body.append(UInt8(ascii: "}"))
    body.append(contentsOf: prepared.label)
    body.append(contentsOf: "}}".utf8)
  }

  /// The outcome reason for a payload above FCM's limit, the same as APNs uses.
  static let tooLarge = "PayloadTooLarge"
  /// The push types that FCM can carry, besides Live Activities. All others need tokens that only APNs issues.
  private static let pushTypes: Set<PushType> = [.alert, .background]
  /// The outcome reason for a push type that FCM cannot carry.
  static let unsupported = "UnsupportedPushType"
  private static let dataName = Array("message".utf8)

  /// Writes the payload as a JSON string, followed by a comma.
  private func writeData(_ body: inout [UInt8]) {
    body.append(contentsOf: #""data":{"message":""#.utf8)
    JSONWriter.escape(payload, into: &body)
    body.append(contentsOf: #""},"#.utf8)
  }

  /// Writes the notification for Android. If it does not fit into the limit besides the data it is left out, because
  /// the SDK displays the data too.
  private func writeNotification(of message: PushMessage, _ body: inout [UInt8]) {
    let android = message.headers.android
    guard let notification = AndroidNotification(payload, android) else { return }
    let tag = android.tag ?? message.headers.collapseID
    let bytes = payload.count + Self.dataName.count + notification.textBytes(tag: tag)
    guard bytes <= FCM.Limits.payloadBytes else { return }
    body.append(contentsOf: #","notification":"#.utf8)
    body.append(contentsOf: notification.json(tag: tag))
  }

  private func prepare(_ message: PushMessage) -> Prepared {
    if let prepared, prepared.message === message { return prepared }
    let headers = message.headers
    // Use high priority, which wakes a sleeping device, only for messages that someone waits for.
    let isHigh =
      headers.android.priority.map { $0 == .high } ?? (message.lane != .bulk && headers.priority == .immediate)
    var label: [UInt8] = []
    if let name = headers.android.analyticsLabel {
      label.append(contentsOf: #","fcm_options":{"analytics_label":""#.utf8)
      JSONWriter.escape(name, into: &label)
      label.append(contentsOf: #""}"#.utf8)
    }
    var collapseKey = Array(#"s""#.utf8)
    if headers.collapseID != String(message.seqno) {
      collapseKey.append(contentsOf: #","collapse_key":""#.utf8)
      JSONWriter.escape(headers.collapseID, into: &collapseKey)
      collapseKey.append(UInt8(ascii: "\""))
    }
    var apns = JSONWriter()
    apns.object { writer in
      writer.member("apns-priority", String(headers.priority.rawValue))
      writer.member("apns-push-type", headers.pushType.rawValue)
      writer.member("apns-expiration", String(headers.isKeptForDevice ? message.keptUntilSeconds : 0))
      writer.member("apns-collapse-id", headers.collapseID)
    }
    let made = Prepared(
      message: message, priority: Array(#""android":{"priority":"\#(isHigh ? "high" : "normal")","ttl":""#.utf8),
      label: label,
      collapseKey: collapseKey,
      apnsHead: Array(#"},"apns":{"headers":"#.utf8) + apns.bytes + Array(#","payload":"#.utf8),
      apnsHeaders: apns.bytes)
    prepared = made
    return made
  }

  /// Returns true for a Firebase installation id: 22 characters of base64url whose first four bits are 0111.
  static func isFID(_ name: String) -> Bool {
    guard name.utf8.count == 22, let first = name.utf8.first, (0x63...0x66).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
      default: false
      }
    }
  }

  /// Returns the header fields that all requests on one connection have in common.
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
