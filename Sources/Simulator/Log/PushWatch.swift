internal import Reactor

/// An accepted push, as delivered to a watcher.
package struct AcceptedPush: Sendable {
  package let token: DeviceToken
  /// The `apns-id`: the provider's, or one generated here.
  package let id: MessageID
  /// Value of `apns-collapse-id`, as bytes; nil if absent.
  package let collapseID: [UInt8]?
  package let payload: [UInt8]
  /// Time at which the push was accepted, in microseconds since 1970.
  package let atMicroseconds: Int64
}

/// Passes accepted pushes to a watcher. Collects those of a loop iteration and delivers them in one batch.
final class PushWatch {
  private let inbox: Inbox<AcceptedPush>
  private var batch: [AcceptedPush] = []
  /// Number of pushes dropped because their batch did not fit into the inbox, or the inbox was closed.
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
