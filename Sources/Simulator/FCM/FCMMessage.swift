internal import JSON

/// A message that FCM takes, with what is delivered of it.
struct FCMMessage: Equatable {
  enum Target: Equatable {
    case token(String)
    case fid(String)
    case topic(String)
    case condition(String)
  }

  let target: Target
  let isValidateOnly: Bool
  /// What an Android device gets as data: `android.data` in place of `data` where both are there.
  let data: [String: String]
  /// What an iOS device gets; nil without an `apns` block.
  let apnsPayload: [UInt8]?
  let collapseKey: String?
  let isHighPriority: Bool
  /// Seconds that FCM keeps it for a device that is away.
  let ttlSeconds: Int64
  let hasNotification: Bool
  /// What Android shows by itself, as it was written; nil without one.
  var androidNotification: MessageTree?
  /// By its name in Firebase's reports: the message's own, or Android's in its place.
  var analyticsLabel: String?
  /// One Live Activity of the device that it is for.
  var liveActivityToken: String?

  /// Judges a request's body as FCM does.
  static func judge(_ body: [UInt8]) -> Result<FCMMessage, FCMError> {
    let tree: MessageTree
    do throws(JSONError) {
      tree = try MessageTree.parse(body)
    } catch {
      return .failure(
        FCMError(400, "Invalid JSON payload received. \(error)", [.badRequest([.init("", "\(error)")])]))
    }
    guard case .object = tree else {
      return .failure(.violations([.init("", "Invalid JSON payload received. The root must be an object.")]))
    }
    var check = ShapeCheck()
    check.check(tree, .request, at: "")
    guard check.violations.isEmpty else { return .failure(.violations(check.violations)) }
    guard let message = tree.member("message"), message != .null else {
      return .failure(.violations([.init("message", "Message is not set.")]))
    }
    return MessageRules.judge(message, isValidateOnly: tree.member("validate_only") == .flag(true))
  }
}

extension MessageTree {
  /// A member by its schema name, in either spelling; nil for null.
  func member(_ name: String) -> MessageTree? {
    guard case .object(let members) = self else { return nil }
    let found = members.first { ShapeCheck.snakeCase($0.name) == name }?.value
    return found == .null ? nil : found
  }

  var textMap: [String: String] {
    guard case .object(let members) = self else { return [:] }
    return members.reduce(into: [:]) { $0[$1.name] = $1.value.string }
  }
}
