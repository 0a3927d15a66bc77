/// Checks the consistency of a message's content: which fields each push type allows and requires.
///
/// Combinations that Apple would refuse, delay or drop are refused when the send is requested, with a pointer to each
/// faulty field. Sources: "Generating a remote notification", "Sending notification requests to APNs". Decision 068.
package struct ContentRules {
  private let content: MessageContent
  private let badge: BadgeRequest
  private let appID: String
  private var faults: [Problem.Field] = []

  /// Sets the content's push type, inferred if it was not given, and `contentAvailable` for background pushes; then
  /// checks the content for consistency.
  /// - Throws: `.invalidField`, listing every faulty field. If some fields are not allowed for the push type, only
  ///   these are listed.
  static func settle(_ content: inout MessageContent, badge: BadgeRequest, appID: String) throws(Problem) {
    if badge != .none { content.given.insert("badge") }
    content.pushType = content.askedPushType ?? inferred(content)
    // A background push always has `content-available`, so it need not be requested.
    if content.pushType == .background { content.contentAvailable = true }
    var rules = ContentRules(content: content, badge: badge, appID: appID)
    rules.check()
    guard let first = rules.faults.first else { return }
    throw Problem(
      .invalidField, rules.faults.count == 1 ? first.whole : "Some fields do not fit together.",
      fields: rules.faults)
  }

  private init(content: MessageContent, badge: BadgeRequest, appID: String) {
    self.content = content
    self.badge = badge
    self.appID = appID
  }

  private static func inferred(_ content: MessageContent) -> PushType {
    if content.liveActivity != nil { return .liveactivity }
    if content.mdm != nil { return .mdm }
    guard content.contentAvailable else { return .alert }
    return content.given.isDisjoint(with: ["alert", "badge", "sound"]) ? .background : .alert
  }

  // MARK: Fields allowed per push type

  private static let everywhere: Set<String> = ["pushType", "priority", "collapseId", "keepForDevice"]
  private static let forApp: Set<String> = ["ext", "data", "variables"]
  private static let shown: Set<String> = [
    "alert", "translations", "sound", "badge", "category", "threadId", "targetContentId", "mutableContent",
    "contentAvailable", "interruptionLevel", "relevanceScore", "filterCriteria", "mediaUrl", "media",
    "android",
  ]

  /// The fields that each push type allows.
  private static let allowed = Dictionary(
    uniqueKeysWithValues: PushType.allCases.map { ($0, everywhere.union(own(of: $0))) })

  private static func own(of type: PushType) -> Set<String> {
    switch type {
    case .alert: shown.union(forApp)
    case .background: forApp.union(["contentAvailable", "android"])
    case .voip: forApp.union(["alert", "translations"])
    case .complication, .location, .pushtotalk: forApp
    case .fileprovider: ["data", "variables"]
    case .mdm: ["mdm", "variables"]
    case .liveactivity: ["liveActivity", "alert", "translations", "sound", "relevanceScore", "variables"]
    case .controls, .widgets: []
    }
  }

  // MARK: Checking

  private mutating func fault(_ field: String, _ detail: Sentence) {
    faults.append(Problem.Field(pointer: "/\(field)", detail: detail))
  }

  private mutating func check() {
    let type = content.pushType
    for field in content.given.subtracting(Self.allowed[type] ?? []).sorted() {
      fault(field, "cannot be in a push of the type \(type.rawValue)")
    }
    // Further checks would only repeat these faults.
    guard faults.isEmpty else { return }
    if let priority = content.priority, !type.priorities.contains(priority) {
      let known = Sentence(anyOf: type.priorities.map { String($0.rawValue) })
      fault("priority", "must be \(known) for a push of the type \(type.rawValue)")
    }
    if type != .alert, !content.translations.isEmpty, content.alert == nil {
      fault("alert", "is needed beside translations, for devices of any other language")
    }
    switch type {
    case .alert: checkAlert()
    case .liveactivity: checkActivity()
    case .mdm: checkMDM()
    case .fileprovider:
      if !content.data.contains(where: { $0.name == "container-identifier" }) {
        fault("data", "needs the member container-identifier: which files have changed")
      }
    case .background: checkHiddenAndroid()
    case .voip, .complication, .location, .pushtotalk, .controls, .widgets: break
    }
  }

  private mutating func checkAlert() {
    guard content.alert != nil else {
      if badge == .none { fault("alert", "is needed, unless contentAvailable or badge is set") }
      checkHiddenAndroid()
      // Without an alert there is nothing to group, filter, play or modify.
      let needy = content.given.intersection(Self.shown).subtracting(["badge", "contentAvailable", "android"]).sorted()
      for field in needy {
        switch field {
        case "mutableContent", "media", "mediaUrl":
          fault(field, "needs an alert: the extension runs only for visible notifications")
        case "sound": fault(field, "needs an alert: a sound alone would be heard and not explained")
        default: fault(field, "needs an alert")
        }
      }
      return
    }
    if let score = content.relevanceScore, !(0...1).contains(score.value) {
      fault("relevanceScore", "must be a number from 0 to 1")
    }
    checkMedia()
  }

  /// Reports Android fields that need a visible notification, if the message shows nothing.
  private mutating func checkHiddenAndroid() {
    for member in content.android?.shownMembers ?? [] { fault("android/\(member)", "needs an alert") }
  }

  private mutating func checkMedia() {
    guard let media = content.media else { return }
    if content.given.contains("media"), content.given.contains("mediaUrl") {
      fault("media", "cannot be had beside mediaUrl")
    }
    if content.isMutable == false {
      fault("mutableContent", "must not be false beside media: the app's extension has to fetch it")
    }
    if content.data.contains(where: { $0.name == Self.mediaKey }) {
      fault("data/\(Self.mediaKey)", "is made by the server when the message has media")
    }
    if case .url(let url) = media, !url.hasPrefix("https://") || url.utf8.contains(where: { $0 <= 0x20 || $0 > 0x7E }) {
      fault("mediaUrl", "must be a URL that begins with https://, in ASCII: devices fetch nothing else")
    }
  }

  private mutating func checkActivity() {
    guard let activity = content.liveActivity else {
      return fault("liveActivity", "is needed for a push of the type liveactivity")
    }
    if activity.event == .start, content.alert == nil {
      fault("alert", "is needed to start a Live Activity")
    }
    if let alert = content.alert { checkActivity(alert, at: "/alert") }
    for translation in content.translations { checkActivity(translation.alert, at: translation.pointer) }
    if content.given.contains("sound"), content.alert == nil { fault("sound", "needs an alert") }
  }

  /// Reports the parts of a Live Activity's alert that would not be shown.
  private mutating func checkActivity(_ alert: Alert, at pointer: String) {
    guard case .parts(let parts) = alert else { return }
    var hidden: [String] = []
    switch parts.subtitle {
    case .plain: hidden.append("subtitle")
    case .key: hidden.append("subtitleLocKey")
    case nil: break
    }
    if parts.launchImage != nil { hidden.append("launchImage") }
    if parts.actionKey != nil { hidden.append("actionLocKey") }
    faults += hidden.map { name in
      let place = "\(pointer)/\(name)"
      return Problem.Field(pointer: place, detail: "cannot be shown by a Live Activity")
    }
  }

  private mutating func checkMDM() {
    if content.mdm == nil { fault("mdm", "is needed for a push of the type mdm: the PushMagic of the device") }
    if !appID.hasPrefix("com.apple.mgmt.") {
      fault("pushType", "mdm is for an app whose id is the topic of the MDM push certificate: com.apple.mgmt.…")
    }
  }

  /// Payload key, beside `aps` and `mps`, under which the app's extension finds the URL of the media to download.
  package static let mediaKey = "mediaUrl"
}
