#if canImport(UIKit)
  public import Foundation
  internal import UPMCClient
  internal import UPMCPushExtension

  /// The manager's current server, user and token, as `[PushManager defaultManager].info`. In an extension, whose
  /// manager is not started, all are nil: an app that keeps an extension of its own shares them with it.
  @objc(PushInfo) public final class PushInfo: NSObject, Sendable {
    private let state: PushState

    init(_ state: PushState) {
      self.state = state
    }

    /// The base URL of the server, for example `https://push.example.com`; nil before `PushManager.start`.
    @objc public var host: String? { state.server?.base }

    /// The CUID of the registered user; nil for a guest, and before registration.
    @objc public var clientUID: String? { state.known?.clientUID }

    /// The push token registered with the server (PSID); nil before registration.
    @objc public var pushServiceID: String? { state.known?.token }

    /// Switches to another server. An invalid address is ignored and logged.
    @objc(changeHost:) public func changeHost(_ host: String) {
      state.change(host: host)
    }
  }

  /// Gives access to the app's badge, as `[PushManager defaultManager].notificationCenter`.
  @objc(PushNotificationCenter) public final class PushNotificationCenter: NSObject, Sendable {
    private let state: PushState

    init(_ state: PushState) {
      self.state = state
    }

    /// The number on the app's icon; 0 removes the badge.
    @objc public var badgeNumber: NSNumber {
      get { NSNumber(value: state.badge) }
      set { state.show(badge: newValue.intValue) }
    }
  }
#endif
