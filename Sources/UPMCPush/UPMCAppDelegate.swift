#if canImport(UIKit)
  public import UIKit
  internal import UPMCClient
  public import UserNotifications

  /// An app delegate that forwards everything to `PushManager`. If your app already has one, forward the calls from it
  /// yourself; see `PushManager+Forwarding`.
  ///
  /// Apple's documentation: *UIApplicationDelegate*,
  /// <https://developer.apple.com/documentation/uikit/uiapplicationdelegate>, *UNUserNotificationCenterDelegate*,
  /// <https://developer.apple.com/documentation/usernotifications/unusernotificationcenterdelegate>
  @MainActor
  open class UPMCAppDelegate: UIResponder, UIApplicationDelegate, @preconcurrency UNUserNotificationCenterDelegate {
    /// Which server and which app; override it.
    open var pushSettings: PushSettings? { nil }

    private var manager: PushManager { .defaultManager }

    /// Starts the manager; call `super` when overriding.
    open func application(
      _ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
      UNUserNotificationCenter.current().delegate = self
      guard let settings = pushSettings else { return true }
      do {
        try manager.start(settings, application)
      } catch {
        settings.log("cannot start: \(error)")
      }
      if let userInfo = launchOptions?[.remoteNotification] as? [AnyHashable: Any],
        application.applicationState != .background
      {
        manager.didStart(by: userInfo)
      }
      return true
    }

    /// The token.
    open func application(
      _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
      manager.didRegister(deviceToken: deviceToken)
    }

    /// No token.
    open func application(
      _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
      manager.didFailToRegister(error)
    }

    /// A push that the system hands to the app itself.
    open func application(
      _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
      fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
      let manager = manager
      Task { completionHandler(await manager.didReceive(userInfo, in: application)) }
    }

    /// The app is in front again.
    open func applicationDidBecomeActive(_ application: UIApplication) {
      manager.didBecomeActive()
    }

    /// A push while the app is in front.
    open func userNotificationCenter(
      _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
      withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
      completionHandler(manager.willPresent(notification))
    }

    /// The person has opened a push.
    open func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void
    ) {
      manager.didOpen(response)
      completionHandler()
    }
  }
#endif
