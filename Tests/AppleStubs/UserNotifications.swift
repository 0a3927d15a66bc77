@_exported import Foundation

open class UNNotificationContent: NSObject {
  open var attachments: [UNNotificationAttachment] { [] }
  open var userInfo: [AnyHashable: Any] { [:] }
  open var body: String { "" }
}

open class UNMutableNotificationContent: UNNotificationContent {
  open override var attachments: [UNNotificationAttachment] {
    get { [] }
    set {}
  }
  open override var userInfo: [AnyHashable: Any] {
    get { [:] }
    set {}
  }
  open override var body: String {
    get { "" }
    set {}
  }
}

open class UNNotificationAttachment: NSObject {
  open var url: URL { URL(fileURLWithPath: "") }
  public convenience init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws { self.init() }
}

open class UNNotificationRequest: NSObject {
  open var content: UNNotificationContent { UNNotificationContent() }
}

open class UNNotification: NSObject {
  open var request: UNNotificationRequest { UNNotificationRequest() }
}

open class UNNotificationResponse: NSObject {
  open var notification: UNNotification { UNNotification() }
}

open class UNNotificationServiceExtension: NSObject {
  public override init() { super.init() }
  open func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {}
  open func serviceExtensionTimeWillExpire() {}
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let list = Self(rawValue: 8)
  public static let banner = Self(rawValue: 16)
}

public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let alert = Self(rawValue: 4)
}

public enum UNAuthorizationStatus: Int, Sendable {
  case notDetermined, denied, authorized, provisional, ephemeral
}

open class UNNotificationSettings: NSObject, @unchecked Sendable {
  open var authorizationStatus: UNAuthorizationStatus { .authorized }
}

public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void)
}

open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  open class func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
  weak open var delegate: (any UNUserNotificationCenterDelegate)?
  open func notificationSettings() async -> UNNotificationSettings { UNNotificationSettings() }
  open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { true }
  @available(iOS 16.0, *)
  open func setBadgeCount(_ newBadgeCount: Int, withCompletionHandler completionHandler: (((any Error)?) -> Void)?) {}
}
