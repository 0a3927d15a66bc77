#if canImport(UIKit)
  public import Foundation
  public import UIKit
  public import UPMCClient
  public import UserNotifications

  /// The methods that the app calls from its delegates' callbacks. `UPMCAppDelegate` calls all of them.
  extension PushManager {
    /// Starts the manager; call it at launch, before any other method. Sends stored receipts and requests the device
    /// token.
    /// - Throws: if `PushSettings.host` is not a valid address.
    @MainActor public func start(_ settings: PushSettings, _ application: UIApplication) throws {
      handlers.application = application
      var attributes = DeviceAttributes()
      attributes.platform = "iOS"
      attributes.model = UIDevice.current.model
      attributes.osVersion = UIDevice.current.systemVersion
      attributes.appVersion = Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
      attributes.locale = Locale.preferredLanguages.first
      attributes.timeZone = TimeZone.current.identifier
      let client = try state.start(
        settings, appID: settings.appID ?? Bundle.main.bundleIdentifier ?? "", attributes: attributes)
      application.registerForRemoteNotifications()
      Task {
        await client.use(settings.log)
        await state.share(client)
        await client.use(badges: { [state = self.state] badge in state.show(badge: badge) })
        state.remember(await client.known)
        await client.flush()
      }
    }

    /// Sends stored receipts and read confirmations, and registers a token that was not registered since the start of
    /// the app, or whose registration got no answer. Call it from `applicationDidBecomeActive` or its scene
    /// counterpart.
    @MainActor public func didBecomeActive() {
      guard let client = try? state.client() else { return }
      Task {
        await state.share(client)
        await client.flush()
        state.remember(await client.known)
        await registerToken(isInBackground: false)
      }
    }

    // MARK: The token

    /// Registers the device token for the same user, if the device is registered; while the app is in the background,
    /// only if the token has changed. With `passAPNsToken`, passes the token to Firebase instead. Call it from
    /// `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`.
    ///
    /// Apple's documentation: *Registering your app with APNs*,
    /// <https://developer.apple.com/documentation/usernotifications/registering-your-app-with-apns>
    @MainActor public func didRegister(deviceToken: Data) {
      if let takes = handlers.takesAPNsToken { return takes(deviceToken) }
      receive(token: deviceToken.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined())
    }

    /// Registers a new FCM token for the same user. Call it from Firebase's `messaging(_:didReceiveRegistrationToken:)`
    /// if `PushSettings.network` is `.fcm`.
    @MainActor public func receive(fcmToken: String) {
      receive(token: fcmToken)
    }

    /// Sets the closure that passes the APNs token to Firebase: `{ Messaging.messaging().apnsToken = $0 }`.
    @MainActor public func passAPNsToken(to takes: @escaping @MainActor (Data) -> Void) {
      handlers.takesAPNsToken = takes
    }

    @MainActor private func receive(token: String) {
      guard state.take(token: token) else { return }
      let isInBackground = handlers.application?.applicationState == .background
      Task { await registerToken(isInBackground: isInBackground) }
    }

    /// Registers the device token, once per launch even if it is unchanged, so that the server learns the app's version
    /// and language. A device that has never registered is left to the app's own call.
    /// - Parameter isInBackground: true to leave an unchanged token to `didBecomeActive`: a silent push starts the app
    ///   on all devices that it is sent to, and they must not all register at once.
    private func registerToken(isInBackground: Bool) async {
      // Nothing is known before the device is unlocked for the first time either; `didBecomeActive` comes later.
      guard let client = try? state.client(), let known = await client.known,
        !isInBackground || known.token != state.token, let token = state.takeUnregisteredToken()
      else { return }
      do {
        state.remember(try await client.register(token: token))
      } catch {
        // By the next `flush`, unless the server has refused it.
        state.log("the token is not registered yet: \(error)")
      }
    }

    /// Fails the registrations that wait for a token. Call it from
    /// `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    @MainActor public func didFailToRegister(_ error: any Error) {
      state.fail("\(error)")
    }

    // MARK: Pushes

    /// Delivers and confirms the push that has launched the app; `didOpen` does not deliver it again. Call it from
    /// `application(_:didFinishLaunchingWithOptions:)`, or from `scene(_:willConnectTo:options:)` with the notification
    /// response's `userInfo`.
    @MainActor public func didStart(by userInfo: [AnyHashable: Any]) {
      handlers.arrive(userInfo, PushStatus.START, .opened, of: self)
      confirm(userInfo)
    }

    /// Confirms the push and returns the fetch result to pass on. Call it from
    /// `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
    @MainActor public func didReceive(_ userInfo: [AnyHashable: Any], in application: UIApplication) async
      -> UIBackgroundFetchResult
    {
      let isInFront = application.applicationState == .active
      handlers.arrive(userInfo, isInFront ? PushStatus.ACTIVE : PushStatus.BACKGROUND, .arrived, of: self)
      guard let client = try? state.client(), let payload = try? ReceivedPayload(userInfo: userInfo) else {
        return .noData
      }
      return await client.receive(payload).isDone ? .newData : .failed
    }

    /// Delivers and confirms a push that arrives in the foreground, and returns the presentation options to pass on.
    /// Call it from `userNotificationCenter(_:willPresent:withCompletionHandler:)`.
    @MainActor public func willPresent(_ notification: UNNotification) -> UNNotificationPresentationOptions {
      let userInfo = notification.request.content.userInfo
      handlers.arrive(userInfo, PushStatus.ACTIVE, .arrived, of: self)
      confirm(userInfo)
      guard let payload = try? ReceivedPayload(userInfo: userInfo), let presents = handlers.presents, !presents(payload)
      else { return [.list, .banner, .sound, .badge] }
      return []
    }

    /// Delivers and confirms a push that the user has opened. Call it from
    /// `userNotificationCenter(_:didReceive:withCompletionHandler:)`.
    @MainActor public func didOpen(_ response: UNNotificationResponse) {
      let userInfo = response.notification.request.content.userInfo
      handlers.arrive(
        userInfo, handlers.application?.applicationState == .active ? PushStatus.ACTIVE : PushStatus.BACKGROUND,
        .opened, of: self)
      confirm(userInfo)
    }

    /// Sets the filter that decides whether a push is shown while the app is in the foreground; for example, a chat app
    /// hides those of the open room.
    @MainActor public func present(_ filter: @escaping @MainActor (ReceivedPayload) -> Bool) {
      handlers.presents = filter
    }

    /// Sets the handler that navigates to what an opened push refers to. If a push was opened before, calls it at once.
    @MainActor public func route(_ opens: @escaping @MainActor (ReceivedPayload) -> Void) {
      handlers.set(opens)
    }

    /// Sends the receipt of a push. Has no effect if the notification service extension has confirmed it already.
    private func confirm(_ userInfo: [AnyHashable: Any]) {
      guard let client = try? state.client(), let payload = try? ReceivedPayload(userInfo: userInfo) else { return }
      Task { await client.receive(payload) }
    }
  }
#endif
