#if canImport(UIKit)
  public import Foundation
  internal import UPMCClient
  internal import UPMCPushExtension

  /// What the manager knows of itself: `[PushManager defaultManager].info`.
  @objc(PushInfo) public final class PushInfo: NSObject, Sendable {
    private let state: PushState

    init(_ state: PushState) {
      self.state = state
    }

    /// The server: `https://host`.
    @objc public var host: String? { state.server?.base }

    /// CUID of the user; nil for a guest, and before a registration.
    @objc public var clientUID: String? { state.known?.clientUID }

    /// PSID: the push token that is registered.
    @objc public var pushServiceID: String? { state.known?.token }

    /// Another server. An address that is none is ignored, and written to the log.
    @objc(changeHost:) public func changeHost(_ host: String) {
      state.change(host: host)
    }
  }

  /// `[PushManager defaultManager].notificationCenter`.
  @objc(PushNotificationCenter) public final class PushNotificationCenter: NSObject, Sendable {
    private let state: PushState

    init(_ state: PushState) {
      self.state = state
    }

    /// The number on the app's icon; 0 removes it.
    @objc public var badgeNumber: NSNumber {
      get { NSNumber(value: state.badge) }
      set { state.show(badge: newValue.intValue) }
    }
  }
#endif
