#if canImport(UIKit)
  public import Foundation
  internal import UPMCClient

  /// Receives the app's pushes, on the main thread. Pushes that arrive before the delegate is set are delivered when it
  /// is.
  @MainActor @objc(PushManagerDelegate) public protocol PushManagerDelegate: AnyObject {
    /// Called when a push has arrived, and again when the user has opened it.
    /// - Parameters:
    ///   - userInfo: the notification's `userInfo`.
    ///   - status: the app's state when the push arrived: `START`, `ACTIVE` or `BACKGROUND`; see `PushStatus`.
    ///   - messageUID: a new unique id for each call.
    @objc(manager:didReceiveUserNotification:status:messageUID:)
    func manager(
      _ manager: PushManager, didReceiveUserNotification userInfo: [AnyHashable: Any], status: String,
      messageUID: String)
  }

  /// The values of the delegate's `status` parameter: the app's state when a push arrived or was opened.
  @objc(PushStatus) public final class PushStatus: NSObject {
    /// The push launched the app.
    @objc public static let START = "START"
    /// The app was in the foreground.
    @objc public static let ACTIVE = "ACTIVE"
    /// The app was in the background.
    @objc public static let BACKGROUND = "BACKGROUND"
  }

  /// The effect of a read confirmation on the badge count, which the server keeps. In Objective-C the cases are
  /// `PushManagerBadgeOptionKeep` and so on.
  @objc(PushManagerBadgeOption) public enum PushManagerBadgeOption: Int, Sendable {
    /// Decrements the count by 1.
    case keep
    /// Sets the count to 0.
    case reset
    /// Sets the count to the given number, at most once per message.
    case update
    /// Sets the count to the given number, with every confirmation.
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

  /// A handler called on the main thread, with true if the server has accepted the request, or accepts it once an
  /// awaited push has come (`PushClient.unregisterUser`).
  public typealias PushManagerNetworkCompletionHandler = @MainActor @Sendable (Bool) -> Void
#endif
