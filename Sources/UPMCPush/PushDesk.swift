#if canImport(UIKit)
  internal import Foundation
  internal import UIKit
  internal import UPMCClient

  /// What the manager has on the main thread: its delegate, and what waits for one.
  @MainActor final class PushDesk {
    private struct Arrival {
      let userInfo: [AnyHashable: Any]
      let status: String
      let messageUID: String
    }

    weak var application: UIApplication?
    private weak var delegate: (any PushManagerDelegate)?
    private var waiting: [Arrival] = []
    /// SEQNO and kind of what was handed over lately: the system may bring a push twice.
    private var lately: [String] = []
    /// Which pushes are shown while the app is in front; nil: all.
    var presents: (@MainActor (ReceivedPayload) -> Bool)?
    /// Where a push leads that was opened.
    var opens: (@MainActor (ReceivedPayload) -> Void)?
    private var opened: ReceivedPayload?
    /// Takes the token of Apple's, for Firebase.
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

    /// Routes an opened push. If no `opens` handler is set yet, keeps it (only the latest) until one is.
    func open(_ payload: ReceivedPayload) {
      if let opens { opens(payload) } else { opened = payload }
    }

    /// - Parameter kind: arrived or opened: the delegate gets each once.
    func arrive(_ userInfo: [AnyHashable: Any], _ status: String, kind: String, of manager: PushManager) {
      if let payload = try? ReceivedPayload(userInfo: userInfo) {
        let key = "\(payload.seqno) \(kind)"
        guard !lately.contains(key) else { return }
        lately = lately.suffix(99) + [key]
      }
      hand(Arrival(userInfo: userInfo, status: status, messageUID: UUID().uuidString), of: manager)
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
