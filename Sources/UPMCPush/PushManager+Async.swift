#if canImport(UIKit)
  internal import UIKit
  public import UPMCClient
  internal import UserNotifications

  /// The `async` versions of the documented methods, and additional ones for Swift.
  extension PushManager {
    /// Registers the device and its user. Waits for the device token from the system.
    @discardableResult
    public func registerServiceAndUser(_ user: ClientUser) async throws -> DeviceRegistration {
      try await register(user)
    }

    /// Registers the device without changing its user. Waits for the device token from the system.
    @discardableResult
    public func registerService(consent: ConsentChange? = nil) async throws -> DeviceRegistration {
      try await register(nil, consent)
    }

    private func register(_ user: ClientUser?, _ consent: ConsentChange? = nil) async throws -> DeviceRegistration {
      await handlers.askForToken()
      let token = try await state.awaitToken()
      let registration = try await state.client().register(token: token, user: user, consent: consent)
      state.noteRegistered(token)
      state.remember(registration)
      return registration
    }

    /// Registers the user of a device that is already registered, or replaces the user.
    @discardableResult
    public func registerUser(_ user: ClientUser) async throws -> DeviceRegistration {
      let registration = try await state.client().register(user: user)
      state.remember(registration)
      return registration
    }

    /// Removes the user from the device.
    public func unregisterUser() async throws {
      let client = try state.client()
      try await client.unregisterUser()
      state.remember(await client.known)
    }

    /// Removes the device's registration: the server sends it no more pushes.
    public func unregisterService() async throws {
      try await state.client().unregisterService()
      state.remember(nil)
    }

    /// Adds the device's user to the group with this number.
    public func registerGroup(_ groupSequenceNumber: String) async throws {
      try await state.client().register(group: groupSequenceNumber)
    }

    /// Removes the device's user from the group with this number.
    public func unregisterGroup(_ groupSequenceNumber: String) async throws {
      try await state.client().unregister(group: groupSequenceNumber)
    }

    /// Confirms that a push was read, and shows the resulting badge count on the app's icon.
    @discardableResult
    public func read(
      _ payload: ReceivedPayload, badgeOption: BadgeOption = .keep, badge: Int? = nil
    ) async throws -> ConfirmationOutcome {
      let outcome = try await state.client().read(payload, badgeOption: badgeOption, badge: badge)
      if case .recorded(let badge?) = outcome { state.show(badge: badge) }
      return outcome
    }

    /// Sets the badge count on the server, 1…1000, and shows it on the app's icon. Returns the new count.
    @discardableResult
    public func update(badge: Int) async throws -> Int {
      let badge = try await state.client().update(badge: badge)
      state.show(badge: badge)
      return badge
    }

    /// Confirms that a push arrived.
    /// - Parameter psID: the token that the push was sent to.
    @discardableResult
    public func feedback(_ payload: ReceivedPayload, psID: String) async throws -> ConfirmationOutcome {
      guard let client = state.receiptClient() else { throw ClientError.notRegistered }
      return await client.feedback(payload, token: psID)
    }

    /// The underlying client, for everything else: groups, consents, further tokens, the inbox and content pages.
    public var client: PushClient { get throws { try state.client() } }

    /// Sends stored receipts and read confirmations, for example in a `BGTaskScheduler` task. Returns true if none is
    /// left.
    public func flush() async -> Bool {
      guard let client = try? state.client() else { return true }
      return await client.flush().waiting == 0
    }

    /// Returns the reasons why the device receives no pushes: permission, token and registration. Returns nil if the
    /// manager is not started.
    public func status() async -> ClientStatus? {
      let settings = await UNUserNotificationCenter.current().notificationSettings()
      let mayShow = settings.authorizationStatus == .authorized || settings.authorizationStatus == .provisional
      return try? await state.client().status(mayShow: mayShow, token: state.token)
    }
  }
#endif
