#if canImport(UIKit)
  public import Foundation
  internal import UPMCClient

  /// The verbs of the original documents, by their names. Each has a twin for Swift, `async`, in `PushManager+Async`.
  ///
  /// `activity` is the calling screen, as the documents have it; nothing depends on it, and it may be nil. Completion handlers
  /// are called on the main thread, with true when the server has what was asked; a receipt or read that waits for the network
  /// is stored, and sent later, though its handler says false.
  @objc(PushManager) public final class PushManager: NSObject, Sendable {
    /// The one of this process.
    @objc public static let defaultManager = PushManager()

    let state: PushState
    /// What happens on the main thread.
    let desk: PushDesk
    /// Host, user and token.
    @objc public let info: PushInfo
    /// The number on the icon.
    @objc public let notificationCenter: PushNotificationCenter

    override init() {
      state = PushState()
      desk = PushDesk()
      info = PushInfo(state)
      notificationCenter = PushNotificationCenter(state)
      super.init()
    }

    /// Sets the delegate, and hands it what has come before.
    @MainActor @objc(initializeWithDelegate:) public func initialize(with delegate: any PushManagerDelegate) {
      desk.set(delegate, of: self)
    }

    /// The same, as one place of the documents spells it.
    @MainActor @objc(initilaizeWithDelegate:) public func initilaize(with delegate: any PushManagerDelegate) {
      initialize(with: delegate)
    }

    // MARK: Registration

    /// Registers the service and its user.
    @objc(registerServiceAndUser:clientUID:clientName:completionHandler:)
    public func registerServiceAndUser(
      _ activity: AnyObject?, clientUID: String, clientName: String,
      completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      perform(completionHandler) {
        try await $0.registerServiceAndUser(ClientUser(clientUID, name: clientName))
      }
    }

    /// Registers the service, and leaves its user as it is.
    @objc(registerService:completionHandler:)
    public func registerService(_ activity: AnyObject?, completionHandler: PushManagerNetworkCompletionHandler?) {
      perform(completionHandler) { try await $0.registerService() }
    }

    /// Registers or changes the user.
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

    /// Nothing more is sent to the device.
    @objc(unregisterService:completionHandler:)
    public func unregisterService(_ activity: AnyObject?, completionHandler: PushManagerNetworkCompletionHandler?) {
      perform(completionHandler) { try await $0.unregisterService() }
    }

    // MARK: Groups

    /// Joins a group by its number.
    @objc(registerGroup:groupSequenceNumber:completionHandler:)
    public func registerGroup(
      _ activity: AnyObject?, groupSequenceNumber: String, completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      perform(completionHandler) { try await $0.registerGroup(groupSequenceNumber) }
    }

    /// Leaves a group.
    @objc(unregisterGroup:groupSequenceNumber:completionHandler:)
    public func unregisterGroup(
      _ activity: AnyObject?, groupSequenceNumber: String, completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      perform(completionHandler) { try await $0.unregisterGroup(groupSequenceNumber) }
    }

    // MARK: Reads, receipts, badge

    /// Confirms a read: the count is one less.
    @objc(read:notification:completionHandler:)
    public func read(
      _ activity: AnyObject?, notification: [AnyHashable: Any], completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      read(notification, .keep, nil, completionHandler)
    }

    /// Confirms a read, with what becomes of the badge count.
    @objc(read:notification:badgeOption:completionHandler:)
    public func read(
      _ activity: AnyObject?, notification: [AnyHashable: Any], badgeOption: PushManagerBadgeOption,
      completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      read(notification, badgeOption, nil, completionHandler)
    }

    /// Confirms a read, and sets the badge count to a number: 1…1000. With `Keep` and `Reset` the number says nothing.
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

    /// Sets the badge count: 1…1000.
    @objc(update:badge:completionHandler:)
    public func update(
      _ activity: AnyObject?, badge: NSNumber, completionHandler: PushManagerNetworkCompletionHandler?
    ) {
      let number = badge.intValue
      perform(completionHandler) { try await $0.update(badge: number) }
    }

    /// Confirms that a push arrived, for a Notification Service Extension that is not a `UPMCNotificationService`.
    /// - Parameters:
    ///   - clientUID: as the documents have it; the pushkey proves the receipt without it.
    ///   - psID: PSID, the token that the push came to.
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

    // MARK: How they end

    private func demand(_ outcome: ConfirmationOutcome) throws {
      guard outcome.isDone else { throw NotDone(outcome: outcome) }
    }

    /// A confirmation that the server has not got.
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
