internal import Domain
internal import JSON

/// A send as a form of this protocol describes it. Only rules of the form itself are checked here; the resulting
/// request is validated like any other send. Decision 108.
struct SendForm: Sendable {
  let appID: String
  let audience: SendAudience
  /// Time at which the message is to be sent, in the app's time zone; nil to send it now.
  let reservedFor: LocalTime?
  let reference: SenderReference
  private let message: MessageText
  private let badge: Int64
  private let sound: String
  private let ext: String?
  private let sender: String?
  private let lane: String?
  private let dbIn: Bool?
  private let sms: Bool
  /// Minutes without a read after which the SMS is sent; 0 for the default, which waits for a receipt instead. Not used
  /// unless `sms`.
  private let smsWaitMinutes: Int64
  /// Whether `%CUID%`, `%CNAME%` and `%VAR1%` to `%VAR9%` in the text are replaced.
  private let fillsVariables: Bool
  /// Minutes after which the message expires; 0 for the default of all sends.
  private let limitMinutes: Int64
  private let pace: Pace?

  init(_ form: Form, audience: SendAudience) throws(LegacyRefusal) {
    appID = try form.required("APP_ID", upTo: Domain.Limits.appIDBytes)
    self.audience = audience
    message = try MessageText(form)
    badge = try form.number("BADGENO", in: 0...Int64(Domain.Limits.badgeValue.upperBound)) ?? 0
    sound = try form.text("SOUNDFILE", upTo: 128) ?? "alert.aif"
    ext = form["EXT"]
    sender = try form.text("SENDERCODE", upTo: 64)
    lane = try Self.lane(form, audience)
    dbIn = try form.flag("DB_IN")
    let sms = try form.flag("PUSH_FAIL_SMS_SEND") ?? false
    self.sms = sms
    // Many clients always send this field. Without an SMS it is ignored.
    let minutes = sms ? 0...Domain.Limits.fallbackSeconds.upperBound / 60 : 0...Int64.max
    smsWaitMinutes = try form.number("SMS_READ_WAIT_MINUTE", in: minutes) ?? 0
    fillsVariables = try form.flag("TEMPLATE_YN") ?? true
    limitMinutes = try form.number("SEND_TIME_LIMIT", in: 0...43_200) ?? 0
    pace = try Self.pace(form)
    reservedFor = try Self.reserved(form)
    reference = try Self.reference(form)
  }

  /// Returns the request in the form that `POST /v1/admin/messages` accepts.
  /// - Parameter sendAt: `reservedFor` as an absolute time in RFC 3339; nil to send now.
  func json(sendAt: String? = nil) -> [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.object { writer in
      writer.member("appId", appID)
      if let sendAt { writer.member("sendAt", sendAt) }
      if let sender { writer.member("sender", sender) }
      if let lane { writer.member("lane", lane) }
      if sms { writer.member("sms", true) }
      if sms, smsWaitMinutes > 0 {
        writer.member(
          "fallback",
          object: { writer in
            writer.member("after", "PT\(smsWaitMinutes)M")
            writer.member("unless", Fallback.Condition.read.name)
          })
      }
      if let pace { writer.member("pace", object: pace.write) }
      write(to: &writer)
    }
    return writer.bytes
  }

  /// The request with only those members that a device may set.
  var deviceJSON: [UInt8] {
    var writer = JSONWriter(capacity: 1024)
    writer.object { writer in write(to: &writer) }
    return writer.bytes
  }

  private func write(to writer: inout JSONWriter) {
    writer.member("audience", object: audience.write)
    message.write(to: &writer)
    if badge > 0 { writer.member("badge", object: { $0.member("increment", badge) }) }
    writer.member("sound", sound)
    // The SDK confirms receipts in its Notification Service Extension, which iOS starts only for messages with this
    // member.
    writer.member("mutableContent", true)
    if let ext { writer.member("ext", ext) }
    if !fillsVariables { writer.member("fillVariables", false) }
    if let dbIn { writer.member("dbIn", dbIn) }
    if limitMinutes > 0 { writer.member("expiresIn", "PT\(limitMinutes)M") }
    if reference != SenderReference() { writer.member("reference", object: reference.write) }
  }

  // MARK: Reading

  /// Returns the name of the lane for PRIORITY; nil if the field is absent. 1 (batch) means the bulk lane. 3 (real
  /// time) means the urgent lane, or the normal lane if the audience is not individual, because such a send would delay
  /// urgent ones. Throws for any other value.
  private static func lane(_ form: Form, _ audience: SendAudience) throws(LegacyRefusal) -> String? {
    switch form["PRIORITY"] {
    case nil: return nil
    case "3": return audience.isIndividual ? Lane.urgent.name : Lane.normal.name
    case "1": return Lane.bulk.name
    default: throw LegacyRefusal(field: "PRIORITY", "must be 3 (real time) or 1 (batch)")
    }
  }

  /// Parses the pace: a pause of DELAY_SECOND seconds after every SPLIT_MSG_CNT messages. Nil if both are 0 or absent.
  /// Throws if only one of them is, or if one is out of range.
  static func pace(_ form: Form) throws(LegacyRefusal) -> Pace? {
    let devices = try form.number("SPLIT_MSG_CNT", in: 0...Domain.Limits.paceDevices.upperBound) ?? 0
    let seconds = try form.number("DELAY_SECOND", in: 0...Domain.Limits.paceWaitSeconds.upperBound) ?? 0
    guard devices > 0 || seconds > 0 else { return nil }
    guard devices > 0, seconds > 0 else {
      throw LegacyRefusal(
        field: devices > 0 ? "DELAY_SECOND" : "SPLIT_MSG_CNT", "is needed beside the other of the two")
    }
    return Pace(devices: Int32(devices), waitSeconds: Int32(seconds))
  }

  /// Parses RESERVEDATE, `yyyyMMdd HHmmss`, with or without the space. Nil if absent; throws if it is no valid time.
  private static func reserved(_ form: Form) throws(LegacyRefusal) -> LocalTime? {
    guard let text = form["RESERVEDATE"] else { return nil }
    let digits = Array(text.utf8.filter { $0 != UInt8(ascii: " ") })
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    guard digits.count == 14, text.utf8.count <= 15,
      let time = LocalTime(
        "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))")
    else { throw LegacyRefusal(field: "RESERVEDATE", "must be a time such as 20261224 090000") }
    return time
  }

  private static func reference(_ form: Form) throws(LegacyRefusal) -> SenderReference {
    var reference = SenderReference()
    let bytes = LegacyLimits.referenceBytes
    reference.key = try form.text("CUST_KEY", upTo: bytes)
    reference.service = try form.text("SERVICECODE", upTo: bytes)
    for name in ["CUST_VAR1", "CUST_VAR2", "CUST_VAR3"] {
      reference.values.append(try form.text(name, upTo: bytes) ?? "")
    }
    while reference.values.last == "" { reference.values.removeLast() }
    return reference
  }
}
