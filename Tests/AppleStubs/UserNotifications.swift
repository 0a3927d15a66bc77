// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores

@_exported import Foundation

/// <https://developer.apple.com/documentation/usernotifications/unnotificationcontent>
open class UNNotificationContent: NSObject {
  open var attachments: [UNNotificationAttachment] { [] }
  open var userInfo: [AnyHashable: Any] { [:] }
  open var body: String { "" }
}

/// <https://developer.apple.com/documentation/usernotifications/unmutablenotificationcontent>
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

/// <https://developer.apple.com/documentation/usernotifications/unnotificationattachment>
open class UNNotificationAttachment: NSObject {
  open var url: URL { URL(fileURLWithPath: "") }
  public convenience init(identifier: String, url: URL, options: [AnyHashable: Any]? = nil) throws { self.init() }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationrequest>
open class UNNotificationRequest: NSObject {
  open var content: UNNotificationContent { UNNotificationContent() }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotification>
open class UNNotification: NSObject {
  open var request: UNNotificationRequest { UNNotificationRequest() }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationresponse>
open class UNNotificationResponse: NSObject {
  open var notification: UNNotification { UNNotification() }
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationserviceextension>
open class UNNotificationServiceExtension: NSObject {
  public override init() { super.init() }
  open func didReceive(
    _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {}
  open func serviceExtensionTimeWillExpire() {}
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationpresentationoptions>
public struct UNNotificationPresentationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let list = Self(rawValue: 8)
  public static let banner = Self(rawValue: 16)
}

/// <https://developer.apple.com/documentation/usernotifications/unauthorizationoptions>
public struct UNAuthorizationOptions: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let badge = Self(rawValue: 1)
  public static let sound = Self(rawValue: 2)
  public static let alert = Self(rawValue: 4)
}

/// <https://developer.apple.com/documentation/usernotifications/unauthorizationstatus>
public enum UNAuthorizationStatus: Int, Sendable {
  case notDetermined, denied, authorized, provisional, ephemeral
}

/// <https://developer.apple.com/documentation/usernotifications/unnotificationsettings>
open class UNNotificationSettings: NSObject, @unchecked Sendable {
  open var authorizationStatus: UNAuthorizationStatus { .authorized }
}

/// <https://developer.apple.com/documentation/usernotifications/unusernotificationcenterdelegate>
public protocol UNUserNotificationCenterDelegate: NSObjectProtocol {
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
    withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void)
  func userNotificationCenter(
    _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
    withCompletionHandler completionHandler: @escaping () -> Void)
}

/// <https://developer.apple.com/documentation/usernotifications/unusernotificationcenter>
open class UNUserNotificationCenter: NSObject, @unchecked Sendable {
  open class func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
  weak open var delegate: (any UNUserNotificationCenterDelegate)?
  open func notificationSettings() async -> UNNotificationSettings { UNNotificationSettings() }
  open func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { true }
  @available(iOS 16.0, *)
  open func setBadgeCount(_ newBadgeCount: Int, withCompletionHandler completionHandler: (((any Error)?) -> Void)?) {}
}
