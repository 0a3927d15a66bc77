#if canImport(UIKit)
  public import UIKit
  internal import UPMCClient
  public import UserNotifications

  /// An app delegate that forwards all relevant callbacks to `PushManager`. If your app already has a delegate, forward
  /// them from it yourself; see `PushManager+Forwarding`.
  ///
  /// Apple's documentation: *UIApplicationDelegate*,
  /// <https://developer.apple.com/documentation/uikit/uiapplicationdelegate>, *UNUserNotificationCenterDelegate*,
  /// <https://developer.apple.com/documentation/usernotifications/unusernotificationcenterdelegate>
  @MainActor
  open class UPMCAppDelegate: UIResponder, UIApplicationDelegate, @preconcurrency UNUserNotificationCenterDelegate {
    /// The server and client key of the app. Must be overridden: with nil, the manager is not started.
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

    /// Called when the system has issued a device token.
    open func application(
      _ application: UIApplication, didRegisterForRemoteNotificationsWithDeviceToken deviceToken: Data
    ) {
      manager.didRegister(deviceToken: deviceToken)
    }

    /// Called when the system could not issue a device token.
    open func application(
      _ application: UIApplication, didFailToRegisterForRemoteNotificationsWithError error: any Error
    ) {
      manager.didFailToRegister(error)
    }

    /// Called when a push is delivered to the app itself, in the foreground or background.
    open func application(
      _ application: UIApplication, didReceiveRemoteNotification userInfo: [AnyHashable: Any],
      fetchCompletionHandler completionHandler: @escaping (UIBackgroundFetchResult) -> Void
    ) {
      let manager = manager
      Task { completionHandler(await manager.didReceive(userInfo, in: application)) }
    }

    /// Called when the app has come to the foreground.
    open func applicationDidBecomeActive(_ application: UIApplication) {
      manager.didBecomeActive()
    }

    /// Called when a push arrives while the app is in the foreground.
    open func userNotificationCenter(
      _ center: UNUserNotificationCenter, willPresent notification: UNNotification,
      withCompletionHandler completionHandler: @escaping (UNNotificationPresentationOptions) -> Void
    ) {
      completionHandler(manager.willPresent(notification))
    }

    /// Called when the user has opened a push.
    open func userNotificationCenter(
      _ center: UNUserNotificationCenter, didReceive response: UNNotificationResponse,
      withCompletionHandler completionHandler: @escaping () -> Void
    ) {
      manager.didOpen(response)
      completionHandler()
    }
  }
#endif
