// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores

@_exported import Foundation

/// <https://developer.apple.com/documentation/uikit/uiresponder>
@MainActor open class UIResponder: NSObject {
  public nonisolated override init() { super.init() }
}

/// <https://developer.apple.com/documentation/uikit/uiview>
@MainActor open class UIView: UIResponder {
  open var bounds: CGRect { CGRect(x: 0, y: 0, width: 0, height: 0) }
  open var frame: CGRect {
    get { bounds }
    set {}
  }
  open func addSubview(_ view: UIView) {}
  open func sizeThatFits(_ size: CGSize) -> CGSize { size }

  public enum ContentMode: Int, Sendable { case scaleToFill, scaleAspectFit, scaleAspectFill }
  open var contentMode: ContentMode {
    get { .scaleToFill }
    set {}
  }
}

/// <https://developer.apple.com/documentation/uikit/uiimage>
open class UIImage: NSObject, @unchecked Sendable {
  public init?(data: Data) {}
  open var size: CGSize { CGSize(width: 0, height: 0) }
}

/// <https://developer.apple.com/documentation/uikit/uiimageview>
@MainActor open class UIImageView: UIView {
  open var image: UIImage?
}

/// <https://developer.apple.com/documentation/uikit/uilabel>
@MainActor open class UILabel: UIView {
  open var text: String?
  open var numberOfLines = 1
}

/// <https://developer.apple.com/documentation/uikit/uiviewcontroller>
@MainActor open class UIViewController: UIResponder {
  open var view: UIView! = UIView()
  open var preferredContentSize = CGSize(width: 0, height: 0)
}

/// <https://developer.apple.com/documentation/uikit/uidevice>
@MainActor open class UIDevice: NSObject {
  public static var current: UIDevice { UIDevice() }
  public nonisolated override init() { super.init() }
  open var model: String { "" }
  open var systemVersion: String { "" }
}

/// <https://developer.apple.com/documentation/uikit/uibackgroundfetchresult>
public enum UIBackgroundFetchResult: UInt, Sendable { case newData, noData, failed }

/// <https://developer.apple.com/documentation/uikit/uiapplication>
@MainActor open class UIApplication: UIResponder {
  public enum State: Int, Sendable { case active, inactive, background }
  open var applicationState: State { .active }
  open var applicationIconBadgeNumber = 0
  open func registerForRemoteNotifications() {}

  public struct LaunchOptionsKey: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let remoteNotification = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
  }
}

/// <https://developer.apple.com/documentation/uikit/uiapplicationdelegate>
@MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
  func application(
    _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
  ) -> Bool
  func application(
    _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data)
  func application(
    _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error)
  func application(
    _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
    fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void)
  func applicationDidBecomeActive(_ application: UIApplication)
}
