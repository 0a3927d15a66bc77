internal import Reactor

/// One accepted push, as a watcher gets it.
package struct AcceptedPush: Sendable {
  package let token: DeviceToken
  /// The `apns-id`: the provider's own, or one that was made up.
  package let id: MessageID
  /// Undecoded; nil when the request had none.
  package let collapseID: [UInt8]?
  package let payload: [UInt8]
  /// Microseconds since 1970.
  package let atMicroseconds: Int64
}

/// The way of accepted pushes to whoever watches: gathered in a turn, handed over in one batch.
final class PushWatch {
  private let inbox: Inbox<AcceptedPush>
  private var batch: [AcceptedPush] = []
  /// Pushes that did not fit into the inbox.
  private(set) var missed = 0

  init(_ inbox: Inbox<AcceptedPush>) {
    self.inbox = inbox
  }

  func take(_ request: PushRequest, _ token: DeviceToken, _ id: MessageID, atMicroseconds: Int64) {
    batch.append(
      AcceptedPush(
        token: token, id: id, collapseID: request.with(.collapseID) { ASCII.array($0) },
        payload: request.withBody { ASCII.array($0) }, atMicroseconds: atMicroseconds))
  }

  func flush() {
    guard !batch.isEmpty else { return }
    if !inbox.offer(contentsOf: batch) { missed += batch.count }
    batch.removeAll(keepingCapacity: true)
  }
}
