internal import ArgumentParser
internal import Domain
internal import JSON

/// Options for the audience of a message. Exactly one kind must be given.
struct AudienceOptions: ParsableArguments {
  @Option(name: .customLong("user"), help: "A user's CUID. May be repeated.")
  var users: [String] = []

  @Option(name: .customLong("device"), help: "A device's id. May be repeated.")
  var devices: [String] = []

  @Option(name: .customLong("psid"), help: "A push token. May be repeated.")
  var psids: [String] = []

  @Option(name: .customLong("group"), help: "A GROUPSEQ, with all groups below it. May be repeated.")
  var groups: [Int64] = []

  @Flag(help: "Everyone of the app, guests included.")
  var all = false

  @Flag(help: "Every user of the app.")
  var members = false

  @Flag(help: "Every device without a user.")
  var guests = false

  /// Number of different kinds of audience that were given.
  var kinds: Int {
    [!users.isEmpty, !devices.isEmpty, !psids.isEmpty, !groups.isEmpty, all, members, guests].count { $0 }
  }

  func write(to writer: inout JSONWriter) {
    func list(_ name: String, _ entries: [String]) {
      guard !entries.isEmpty else { return }
      writer.member(name, array: { writer in for entry in entries { writer.value(entry) } })
    }
    list("clientUids", users)
    list("devices", devices)
    list("psids", psids)
    list("groups", groups.map { String($0) })
    if all { writer.member("all", true) }
    if members { writer.member("members", true) }
    if guests { writer.member("members", false) }
  }
}

/// Options for the content of a message.
struct ContentOptions: ParsableArguments {
  @Option(help: "Title of the notification.")
  var title: String?

  @Option(help: "Second line of the notification.")
  var subtitle: String?

  @Option(help: "Text of the notification.")
  var body: String?

  @Option(name: .customLong("translation"), help: "The text in a language: ko=안녕. May be repeated.")
  var translations: [String] = []

  @Option(name: .customLong("variable"), help: "What stands for %VAR1% … %VAR9%: VAR1=text. May be repeated.")
  var variableTexts: [String] = []

  @Option(help: "+N adds to the user's count, N sets it, clear makes it 0. Without: the icon stays.")
  var badge: String?

  @Option(help: "Sound file of the app, or none. Without: the default sound.")
  var sound: String?

  @Option(help: "Category of the notification, for its buttons.")
  var category: String?

  @Flag(help: "Let the app's extension change the notification before it is shown.")
  var mutableContent = false

  @Flag(help: "Wake the app in the background.")
  var contentAvailable = false

  @Option(help: "alert, background, voip …: without, found from the rest.")
  var pushType: String?

  @Option(help: "10 at once, 5 with regard to the battery, 1 without waking the device.")
  var priority: Int64?

  @Option(help: "A later message with the same one replaces this one on the screen.")
  var collapseID: String?

  @Option(help: "Groups notifications on the device.")
  var threadID: String?

  @Option(help: "passive, active, time-sensitive or critical.")
  var interruptionLevel: String?

  @Option(help: "A picture, sound or film that the app's extension fetches: an https address.")
  var mediaURL: String?

  @Option(help: "The same, uploaded before with `upmc upload`.")
  var media: String?

  @Option(help: "Extra data for the app: type|title|…|url.")
  var ext: String?

  @Option(help: "Custom keys, as a JSON object.")
  var data: String?

  var alertIsComplete: Bool { title == nil && subtitle == nil || body != nil }

  func translated() throws -> [(String, String)] { try Self.pairs(translations, "--translation", "ko=text") }
  func variables() throws -> [(String, String)] { try Self.pairs(variableTexts, "--variable", "VAR1=text") }

  private static func pairs(_ texts: [String], _ option: String, _ example: String) throws -> [(String, String)] {
    try texts.map { text in
      guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
        throw ValidationError("\(option) \(text): write \(example).")
      }
      return (String(text[..<equals]), String(text[text.index(after: equals)...]))
    }
  }

  static func write(_ pairs: [(String, String)], as name: String, to writer: inout JSONWriter) {
    guard !pairs.isEmpty else { return }
    writer.member(name, object: { writer in for (name, text) in pairs { writer.member(name, text) } })
  }

  func badgeRequest() throws -> BadgeRequest {
    guard let badge else { return .none }
    if badge == "clear" || badge == "0" { return .clear }
    // `Int16.init` accepts a leading plus sign.
    guard let number = Int16(badge), Domain.Limits.badgeValue.contains(number) else {
      throw ValidationError("--badge \(badge): must be +N, N or clear, N from 1 to 1000.")
    }
    return badge.hasPrefix("+") ? .increment(number) : .set(number)
  }

  /// Returns the JSON object of `--data` as given; nil if absent. Its members are validated when the message is sent.
  func dataMembers() throws -> [UInt8]? {
    guard let data else { return nil }
    var reader = JSONReader(Array(data.utf8))
    do throws(JSONError) {
      guard try reader.peek() == .object else { throw JSONError("must be an object") }
      let text = try reader.readRaw()
      try reader.finish()
      return text
    } catch {
      throw ValidationError("--data is not a JSON object: \(error).")
    }
  }

  func write(badge: BadgeRequest, data: [UInt8]?, to writer: inout JSONWriter) {
    if let body {
      writer.member(
        "alert",
        object: { writer in
          if let title { writer.member("title", title) }
          if let subtitle { writer.member("subtitle", subtitle) }
          writer.member("body", body)
        })
    }
    switch badge {
    case .none: break
    case .increment(let number): writer.member("badge", object: { $0.member("increment", number) })
    case .set(let number): writer.member("badge", object: { $0.member("set", number) })
    case .clear: writer.member("badge", object: { $0.member("clear", true) })
    }
    if let sound { writer.member("sound", sound == "none" ? nil : sound) }
    if let category { writer.member("category", category) }
    if mutableContent { writer.member("mutableContent", true) }
    if contentAvailable { writer.member("contentAvailable", true) }
    if let pushType { writer.member("pushType", pushType) }
    if let priority { writer.member("priority", priority) }
    if let collapseID { writer.member("collapseId", collapseID) }
    if let threadID { writer.member("threadId", threadID) }
    if let interruptionLevel { writer.member("interruptionLevel", interruptionLevel) }
    if let mediaURL { writer.member("mediaUrl", mediaURL) }
    if let media { writer.member("media", media) }
    if let ext { writer.member("ext", ext) }
    if let data { writer.member("data", raw: data) }
  }
}

/// Options for the delivery of a message.
struct DeliveryOptions: ParsableArguments {
  @Option(help: "urgent, normal or bulk: a full bulk lane never delays urgent.")
  var lane: String?

  @Option(help: "ISO 8601 duration after which it is worth nothing: PT10M, P1D. Without: a day.")
  var expiresIn: String?

  @Option(help: "Keep it in its users' inboxes for so long: P90D. Without: in none.")
  var inbox: String?

  @Flag(help: "Keep no history of the recipients (DB_IN N).")
  var noHistory = false

  @Flag(help: "Seal its contents, never show them, and wipe them when it is over.")
  var confidential = false

  @Flag(help: "Ask for a short message where the push is not confirmed.")
  var sms = false

  @Option(help: "With --sms: after so long, PT3M; it is that without.")
  var smsAfter: String?

  @Option(help: "With --sms: unless it is received (the default), or read, by then.")
  var smsUnless: String?

  @Option(help: "Who sends, as the app sees it.")
  var sender: String?

  @Option(help: "The number of a template: what it says stands for what is not said here.")
  var template: Int64?

  @Option(help: "When Apple's answer never came: resend, or skip.")
  var onUnknown: String?

  @Option(help: "When: a time with its offset, 2026-12-24T09:00:00+09:00.")
  var sendAt: String?

  @Option(help: "When, by each device's own clock: 2026-12-24T09:00.")
  var localTime: String?

  @Option(help: "Again every day, week or month; needs --until.")
  var every: String?

  @Option(help: "The last day of --every: 2027-01-31.")
  var until: String?

  @Option(help: "Only at this time of the day, by the app's clock: 08:00-21:00.")
  var window: String?

  @Option(help: "Devices a second.")
  var perSecond: Int64?

  @Option(help: "So many devices first; the rest follows if they do not reject too much.")
  var canary: Int64?

  @Option(help: "Repeating the command with the same key and options sends nothing twice.")
  var idempotencyKey: String?

  @Flag(help: "Send nothing; show whom it would reach, and the payload.")
  var dryRun = false

  func write(to writer: inout JSONWriter) {
    if let lane { writer.member("lane", lane) }
    if let expiresIn { writer.member("expiresIn", expiresIn) }
    if let inbox { writer.member("inbox", inbox) }
    if noHistory { writer.member("dbIn", false) }
    if confidential { writer.member("confidential", true) }
    if sms { writer.member("sms", true) }
    if smsAfter != nil || smsUnless != nil {
      writer.member(
        "fallback",
        object: { writer in
          if let smsAfter { writer.member("after", smsAfter) }
          if let smsUnless { writer.member("unless", smsUnless) }
        })
    }
    if let sender { writer.member("sender", sender) }
    if let template { writer.member("template", String(template)) }
    if let onUnknown { writer.member("onUnknown", onUnknown) }
    if dryRun { writer.member("dryRun", true) }
    if let sendAt { writer.member("sendAt", sendAt) }
    if let localTime { writer.member("localTime", localTime) }
    if let every {
      writer.member(
        "repeat",
        object: { writer in
          writer.member("every", every)
          if let until { writer.member("until", until) }
        })
    }
    if let window {
      let times = window.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      writer.member(
        "window",
        object: { writer in
          writer.member("from", String(times[0]))
          writer.member("to", times.count == 2 ? String(times[1]) : "")
        })
    }
    if let perSecond { writer.member("pace", object: { $0.member("perSecond", perSecond) }) }
    if let canary { writer.member("canary", object: { $0.member("devices", canary) }) }
  }
}
