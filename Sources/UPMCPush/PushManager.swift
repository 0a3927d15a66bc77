#if canImport(UIKit)
  public import Foundation
  internal import UPMCClient

  /// The documented API of the push manager, under its original names. Each method has an `async` counterpart for Swift
  /// in `PushManager+Async`.
  ///
  /// The parameter `activity` (the calling screen) exists for compatibility; it is ignored and may be nil. Completion
  /// handlers are called on the main thread, with true if the server has accepted the request. If a receipt or read
  /// confirmation fails for lack of network, it is stored and sent later, but the handler still receives false.
  @objc(PushManager) public final class PushManager: NSObject, Sendable {
    /// The only instance of the process.
    @objc public static let defaultManager = PushManager()

    let state: PushState
    /// The manager's state that is confined to the main thread.
    let handlers: PushHandlers
    /// The current server, user and token.
    @objc public let info: PushInfo
    /// The object that reads and sets the number on the app's icon.
    @objc public let notificationCenter: PushNotificationCenter

    override init() {
      state = PushState()
      handlers = PushHandlers()
      info = PushInfo(state)
      notificationCenter = PushNotificationCenter(state)
      super.init()
    }

    /// Sets the delegate, and delivers the pushes that arrived before.
    @MainActor @objc(initializeWithDelegate:) public func initialize(with delegate: any PushManagerDelegate) {
      handlers.set(delegate, of: self)
    }

    /// Sets the delegate, like `initialize(with:)`: the existing iOS SDK also has this misspelled name.
    @MainActor @objc(initilaizeWithDelegate:) public func initilaize(with delegate: any PushManagerDelegate) {
      initialize(with: delegate)
    }

    // MARK: Registration

    /// Registers the device and its user.
    @objc(registerServiceAndUser:clientUID:clientName:completionHandler:)
    public func registerServiceAndUser(
      _ activity: AnyObject?, clientUID: String, clientName: String,
      completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      perform(completionHandler) {
        try await $0.registerServiceAndUser(ClientUser(clientUID, name: clientName))
      }
    }

    /// Registers the device without changing its user.
    @objc(registerService:completionHandler:)
    public func registerService(_ activity: AnyObject?, completionHandler: PushManagerNetworkCompletionHandler?) {
      perform(completionHandler) { try await $0.registerService() }
    }

    /// Registers the user of a device that is already registered, or replaces the user.
    @objc(registerUser:clientUID:clientName:completionHandler:)
    public func registerUser(
      _ activity: AnyObject?, clientUID: String, clientName: String,
      completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      perform(completionHandler) { try await $0.registerUser(ClientUser(clientUID, name: clientName)) }
    }

    /// Removes the user from the device.
    @objc(unregisterUser:completionHandler:)
    public func unregisterUser(_ activity: AnyObject?, completionHandler: PushManagerNetworkCompletionHandler?) {
      perform(completionHandler) { try await $0.unregisterUser() }
    }

    /// Removes the device's registration: the server sends it no more pushes.
    @objc(unregisterService:completionHandler:)
    public func unregisterService(_ activity: AnyObject?, completionHandler: PushManagerNetworkCompletionHandler?) {
      perform(completionHandler) { try await $0.unregisterService() }
    }

    // MARK: Groups

    /// Adds the device's user to the group with this number.
    @objc(registerGroup:groupSequenceNumber:completionHandler:)
    public func registerGroup(
      _ activity: AnyObject?, groupSequenceNumber: String, completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      perform(completionHandler) { try await $0.registerGroup(groupSequenceNumber) }
    }

    /// Removes the device's user from the group with this number.
    @objc(unregisterGroup:groupSequenceNumber:completionHandler:)
    public func unregisterGroup(
      _ activity: AnyObject?, groupSequenceNumber: String, completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      perform(completionHandler) { try await $0.unregisterGroup(groupSequenceNumber) }
    }

    // MARK: Reads, receipts, badge

    /// Confirms that a push was read; the server decrements the badge count.
    @objc(read:notification:completionHandler:)
    public func read(
      _ activity: AnyObject?, notification: [AnyHashable: Any], completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      read(notification, .keep, nil, completionHandler)
    }

    /// Confirms that a push was read, and changes the badge count as `badgeOption` says.
    @objc(read:notification:badgeOption:completionHandler:)
    public func read(
      _ activity: AnyObject?, notification: [AnyHashable: Any], badgeOption: PushManagerBadgeOption,
      completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      read(notification, badgeOption, nil, completionHandler)
    }

    /// Confirms that a push was read, and sets the badge count to `badge` (1…1000). With the options `Keep` and
    /// `Reset`, `badge` is ignored.
    @objc(read:notification:badgeOption:badge:completionHandler:)
    public func read(
      _ activity: AnyObject?, notification: [AnyHashable: Any], badgeOption: PushManagerBadgeOption, badge: NSNumber,
      completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      let isSetting = badgeOption == .update || badgeOption == .force
      read(notification, badgeOption, isSetting ? badge.intValue : nil, completionHandler)
    }

    private func read(
      _ notification: [AnyHashable: Any], _ option: PushManagerBadgeOption, _ badge: Int?,
      _ completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      let payload = Result { try ReceivedPayload(userInfo: notification) }
      perform(completionHandler) { manager in
        try await manager.demand(manager.read(payload.get(), badgeOption: option.option, badge: badge))
      }
    }

    /// Sets the badge count on the server, 1…1000, and shows it on the app's icon.
    @objc(update:badge:completionHandler:)
    public func update(
      _ activity: AnyObject?, badge: NSNumber, completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      let number = badge.intValue
      perform(completionHandler) { try await $0.update(badge: number) }
    }

    /// Confirms that a push arrived: for a notification service extension that does not inherit from
    /// `UPMCNotificationService`.
    /// - Parameters:
    ///   - clientUID: kept for compatibility and ignored, because the push itself contains the key that authenticates
    ///     the receipt.
    ///   - psID: PSID, the token that the push was sent to.
    @objc(feedback:notification:clientUID:psID:completionHandler:)
    public func feedback(
      _ activity: AnyObject?, notification: [AnyHashable: Any], clientUID: String, psID: String,
      completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      let payload = Result { try ReceivedPayload(userInfo: notification) }
      perform(completionHandler) { manager in
        try await manager.demand(manager.feedback(payload.get(), psID: psID))
      }
    }

    // MARK: Results

    private func demand(_ outcome: ConfirmationOutcome) throws {
      guard outcome.isDone else { throw NotDone(outcome: outcome) }
    }

    /// The error thrown if the server has not received a confirmation.
    private struct NotDone: Error { let outcome: ConfirmationOutcome }

    private func perform<Value: Sendable>(
      _ completionHandler: PushManagerNetworkCompletionHandler?,
      _ body: @escaping @Sendable (PushManager) async throws -> Value
    ) {
      Task {
        do {
          _ = try await body(self)
          await completionHandler?(true)
        } catch {
          state.log("\(error)")
          await completionHandler?(false)
        }
      }
    }
  }
#endif
