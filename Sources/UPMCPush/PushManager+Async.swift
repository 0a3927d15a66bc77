#if canImport(UIKit)
  internal import UIKit
  public import UPMCClient
  internal import UserNotifications

  /// The verbs of the documents for Swift, and what goes beyond them.
  extension PushManager {
    /// Registers the service and its user; waits for the system's token.
    @discardableResult
    public func registerServiceAndUser(_ user: ClientUser) async throws -> DeviceRegistration {
      try await register(user)
    }

    /// Registers the service, and leaves its user as it is.
    @discardableResult
    public func registerService(consent: ConsentChange? = nil) async throws -> DeviceRegistration {
      try await register(nil, consent)
    }

    private func register(_ user: ClientUser?, _ consent: ConsentChange? = nil) async throws -> DeviceRegistration {
      await desk.askForToken()
      let token = try await state.awaitToken()
      let registration = try await state.client().register(token: token, user: user, consent: consent)
      state.remember(registration)
      return registration
    }

    /// Registers or changes the user.
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

    /// Nothing more is sent to the device.
    public func unregisterService() async throws {
      try await state.client().unregisterService()
      state.remember(nil)
    }

    /// Joins a group by its number.
    public func registerGroup(_ groupSequenceNumber: String) async throws {
      try await state.client().register(group: groupSequenceNumber)
    }

    /// Leaves a group.
    public func unregisterGroup(_ groupSequenceNumber: String) async throws {
      try await state.client().unregister(group: groupSequenceNumber)
    }

    /// Confirms a read; the icon then shows the new count.
    @discardableResult
    public func read(
      _ payload: ReceivedPayload, badgeOption: BadgeOption = .keep, badge: Int? = nil
    ) async throws -> ConfirmationOutcome {
      let outcome = try await state.client().read(payload, badgeOption: badgeOption, badge: badge)
      if case .recorded(let badge?) = outcome { state.show(badge: badge) }
      return outcome
    }

    /// Sets the badge count: 1…1000. The icon then shows it.
    @discardableResult
    public func update(badge: Int) async throws -> Int {
      let badge = try await state.client().update(badge: badge)
      state.show(badge: badge)
      return badge
    }

    /// Confirms that a push arrived at a token that the caller knows.
    @discardableResult
    public func feedback(_ payload: ReceivedPayload, psID: String) async throws -> ConfirmationOutcome {
      guard let client = state.receiptClient() else { throw ClientError.notRegistered }
      return await client.feedback(payload, token: psID)
    }

    /// The underlying client, for everything else: groups, consents, further tokens, the inbox and pages.
    public var client: PushClient { get throws { try state.client() } }

    /// Sends receipts and reads that wait: for a task of `BGTaskScheduler`. True when none is left.
    public func flush() async -> Bool {
      guard let client = try? state.client() else { return true }
      return await client.flush().waiting == 0
    }

    /// Answers "why do I get no push".
    public func status() async -> ClientStatus? {
      let settings = await UNUserNotificationCenter.current().notificationSettings()
      let mayShow = settings.authorizationStatus == .authorized || settings.authorizationStatus == .provisional
      return try? await state.client().status(mayShow: mayShow, token: state.token)
    }
  }
#endif
