internal import JSON

/// A message that FCM accepts, with the parts that are delivered.
struct FCMMessage: Equatable {
  enum Target: Equatable {
    case token(String)
    case fid(String)
    case topic(String)
    case condition(String)
  }

  let target: Target
  let isValidateOnly: Bool
  /// The data for an Android device: `android.data`, or `data` if that is absent.
  let data: [String: String]
  /// The payload for an iOS device; nil without an `apns` block.
  let apnsPayload: [UInt8]?
  let collapseKey: String?
  let isHighPriority: Bool
  /// Time for which FCM stores the message for an offline device, in seconds.
  let ttlSeconds: Int64
  let hasNotification: Bool
  /// The notification that Android displays itself, unparsed; nil without one.
  var androidNotification: MessageTree?
  /// Label for Firebase's reports; nil if there is none.
  var analyticsLabel: String?
  /// Token of the Live Activity that the message is for; nil if none.
  var liveActivityToken: String?

  /// Parses and validates the body of a send request as FCM does. Returns the message or FCM's error.
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
  /// Returns a member by its schema name, in either spelling; nil if absent or null.
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
