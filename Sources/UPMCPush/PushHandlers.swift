#if canImport(UIKit)
  internal import Foundation
  internal import UIKit
  internal import UPMCClient

  /// The main-actor part of `PushManager`: its delegate and handlers, and the pushes that arrived before they were set.
  @MainActor final class PushHandlers {
    private struct Arrival {
      let userInfo: [AnyHashable: Any]
      let status: String
      let messageUID: String
    }

    weak var application: UIApplication?
    private weak var delegate: (any PushManagerDelegate)?
    private var waiting: [Arrival] = []
    private var recent = RecentDeliveries()
    /// The filter that decides whether a push is shown while the app is in the foreground; nil shows all.
    var presents: (@MainActor (ReceivedPayload) -> Bool)?
    /// The handler that navigates to what an opened push refers to. Set by `PushManager.route`.
    var opens: (@MainActor (ReceivedPayload) -> Void)?
    private var opened: ReceivedPayload?
    /// The handler that passes the APNs device token to Firebase; nil if the app does not use it.
    var takesAPNsToken: (@MainActor (Data) -> Void)?

    nonisolated init() {}

    func set(_ delegate: any PushManagerDelegate, of manager: PushManager) {
      self.delegate = delegate
      let all = waiting
      waiting = []
      for arrival in all { hand(arrival, of: manager) }
    }

    func set(_ opens: @escaping @MainActor (ReceivedPayload) -> Void) {
      self.opens = opens
      if let opened { opens(opened) }
      opened = nil
    }

    /// Delivers a push to the delegate, or keeps it until there is one, and an opened push to the `opens` handler too.
    /// No effect if the system has reported the same event of this push before.
    func arrive(
      _ userInfo: [AnyHashable: Any], _ status: String, _ event: RecentDeliveries.Event, of manager: PushManager
    ) {
      let payload = try? ReceivedPayload(userInfo: userInfo)
      if let payload, !recent.isFirst(event, of: payload) { return }
      hand(Arrival(userInfo: userInfo, status: status, messageUID: UUID().uuidString), of: manager)
      if event == .opened, let payload { open(payload) }
    }

    /// Passes an opened push to the `opens` handler. Until one is set, keeps only the latest push for it.
    private func open(_ payload: ReceivedPayload) {
      if let opens { opens(payload) } else { opened = payload }
    }

    private func hand(_ arrival: Arrival, of manager: PushManager) {
      guard let delegate else { return waiting = waiting.suffix(99) + [arrival] }
      delegate.manager(
        manager, didReceiveUserNotification: arrival.userInfo, status: arrival.status, messageUID: arrival.messageUID)
    }

    func askForToken() {
      application?.registerForRemoteNotifications()
    }
  }
#endif
