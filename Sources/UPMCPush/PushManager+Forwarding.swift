#if canImport(UIKit)
  public import Foundation
  public import UIKit
  public import UPMCClient
  public import UserNotifications

  /// What the app forwards from its delegates; `UPMCAppDelegate` forwards all of it.
  extension PushManager {
    /// At the start of the app, before anything else here. Sends what waits, and asks the system for the token.
    /// - Throws: when the host is no address, or the keychain cannot be written.
    @MainActor public func start(_ settings: PushSettings, _ application: UIApplication) throws {
      desk.application = application
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
        state.remember(await client.known)
        await client.flush()
      }
    }

    /// `applicationDidBecomeActive`, or the scene's: sends what waits.
    @MainActor public func didBecomeActive() {
      guard let client = try? state.client() else { return }
      Task { await client.flush() }
    }

    // MARK: The token

    /// `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)`. The token is registered again; the user stays.
    ///
    /// Apple's documentation: *Registering your app with APNs*,
    /// <https://developer.apple.com/documentation/usernotifications/registering-your-app-with-apns>
    @MainActor public func didRegister(deviceToken: Data) {
      if let takes = desk.takesAPNsToken { return takes(deviceToken) }
      receive(token: deviceToken.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined())
    }

    /// `messaging(_:didReceiveRegistrationToken:)` of Firebase, with `PushSettings.network` `.fcm`.
    @MainActor public func receive(fcmToken: String) {
      receive(token: fcmToken)
    }

    /// Hands Apple's token to Firebase: `{ Messaging.messaging().apnsToken = $0 }`.
    @MainActor public func passAPNsToken(to takes: @escaping @MainActor (Data) -> Void) {
      desk.takesAPNsToken = takes
    }

    private func receive(token: String) {
      let isNew = state.take(token: token)
      guard isNew, let client = try? state.client() else { return }
      Task {
        // Once in each life of the app, also with the token of the last one: the server learns the app's version and the
        // language. A device that never registered does so by a call of the app's.
        guard await client.known != nil else { return }
        do {
          state.remember(try await client.register(token: token))
        } catch {
          state.log("the token is registered later: \(error)")
        }
      }
    }

    /// `application(_:didFailToRegisterForRemoteNotificationsWithError:)`.
    @MainActor public func didFailToRegister(_ error: any Error) {
      state.fail("\(error)")
    }

    // MARK: Pushes

    /// `application(_:didFinishLaunchingWithOptions:)`, or `scene(_:willConnectTo:options:)` with the response's data: a push
    /// has started the app.
    @MainActor public func didStart(by userInfo: [AnyHashable: Any]) {
      desk.arrive(userInfo, PushStatus.START, kind: "opened", of: self)
      confirm(userInfo)
      if let payload = try? ReceivedPayload(userInfo: userInfo) { desk.open(payload) }
    }

    /// `application(_:didReceiveRemoteNotification:fetchCompletionHandler:)`.
    @MainActor public func didReceive(_ userInfo: [AnyHashable: Any], in application: UIApplication) async
      -> UIBackgroundFetchResult
    {
      let isInFront = application.applicationState == .active
      desk.arrive(userInfo, isInFront ? PushStatus.ACTIVE : PushStatus.BACKGROUND, kind: "arrived", of: self)
      guard let client = try? state.client(), let payload = try? ReceivedPayload(userInfo: userInfo) else {
        return .noData
      }
      return await client.receive(payload).isDone ? .newData : .failed
    }

    /// `userNotificationCenter(_:willPresent:withCompletionHandler:)`: the app is in front.
    @MainActor public func willPresent(_ notification: UNNotification) -> UNNotificationPresentationOptions {
      let userInfo = notification.request.content.userInfo
      desk.arrive(userInfo, PushStatus.ACTIVE, kind: "arrived", of: self)
      confirm(userInfo)
      guard let payload = try? ReceivedPayload(userInfo: userInfo), let presents = desk.presents, !presents(payload)
      else { return [.list, .banner, .sound, .badge] }
      return []
    }

    /// `userNotificationCenter(_:didReceive:withCompletionHandler:)`: the person has opened a push.
    @MainActor public func didOpen(_ response: UNNotificationResponse) {
      let userInfo = response.notification.request.content.userInfo
      desk.arrive(
        userInfo, desk.application?.applicationState == .active ? PushStatus.ACTIVE : PushStatus.BACKGROUND,
        kind: "opened", of: self)
      confirm(userInfo)
      if let payload = try? ReceivedPayload(userInfo: userInfo) { desk.open(payload) }
    }

    /// Which pushes are shown while the app is in front: for example none of the room that is open.
    @MainActor public func present(_ filter: @escaping @MainActor (ReceivedPayload) -> Bool) {
      desk.presents = filter
    }

    /// Where a push leads that the person has opened. One that was opened before is routed now.
    @MainActor public func route(_ opens: @escaping @MainActor (ReceivedPayload) -> Void) {
      desk.set(opens)
    }

    /// The receipt of what no extension has confirmed.
    private func confirm(_ userInfo: [AnyHashable: Any]) {
      guard let client = try? state.client(), let payload = try? ReceivedPayload(userInfo: userInfo) else { return }
      Task { await client.receive(payload) }
    }
  }
#endif
