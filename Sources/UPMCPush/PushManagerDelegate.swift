#if canImport(UIKit)
  public import Foundation
  internal import UPMCClient

  /// Receives the pushes of an app, on the main thread. Pushes that come before there is a delegate wait for it.
  @MainActor @objc(PushManagerDelegate) public protocol PushManagerDelegate: AnyObject {
    /// A push came, or was opened.
    /// - Parameters:
    ///   - userInfo: the notification's data.
    ///   - status: `START`, `ACTIVE` or `BACKGROUND`; see `PushStatus`.
    ///   - messageUID: what the app calls this message; another one for each.
    @objc(manager:didReceiveUserNotification:status:messageUID:)
    func manager(
      _ manager: PushManager, didReceiveUserNotification userInfo: [AnyHashable: Any], status: String,
      messageUID: String)
  }

  /// In what state a push met the app.
  @objc(PushStatus) public final class PushStatus: NSObject {
    /// The push started the app.
    @objc public static let START = "START"
    /// The app was in front.
    @objc public static let ACTIVE = "ACTIVE"
    /// The app was in the background.
    @objc public static let BACKGROUND = "BACKGROUND"
  }

  /// What a read does to the badge count, which the server keeps. In Objective-C `PushManagerBadgeOptionKeep` and so on.
  @objc(PushManagerBadgeOption) public enum PushManagerBadgeOption: Int, Sendable {
    /// One less.
    case keep
    /// 0.
    case reset
    /// A number, once per message.
    case update
    /// A number, each time.
    case force

    var option: BadgeOption {
      switch self {
      case .keep: .keep
      case .reset: .reset
      case .update: .update
      case .force: .force
      }
    }
  }

  /// Called on the main thread: whether the server has it.
  public typealias PushManagerNetworkCompletionHandler = @MainActor @Sendable (Bool) -> Void
#endif
