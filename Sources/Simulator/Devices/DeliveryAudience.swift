internal import Reactor

/// What a virtual device gets of a push.
package struct DevicePush: Sendable {
  /// The device's number, from 0.
  let device: Int
  let payload: [UInt8]
}

/// The way of accepted pushes to the virtual devices: gathered in a turn, handed over in one batch.
final class DeliveryAudience {
  private let inbox: Inbox<DevicePush>
  /// The devices' tokens, registered in one go, so that their numbers follow each other.
  private let tokens: Range<TokenRegistry.Index>
  private var batch: [DevicePush] = []
  /// Pushes that did not fit into the inbox. A device that is switched off misses pushes too.
  private(set) var missed = 0

  init(inbox: Inbox<DevicePush>, tokens: Range<TokenRegistry.Index>) {
    self.inbox = inbox
    self.tokens = tokens
  }

  func includes(_ token: TokenRegistry.Index) -> Bool { tokens.contains(token) }

  func add(_ token: TokenRegistry.Index, _ request: PushRequest) {
    batch.append(
      DevicePush(device: token - tokens.lowerBound, payload: request.withBody { ASCII.array($0) }))
  }

  func flush() {
    guard !batch.isEmpty else { return }
    if !inbox.offer(contentsOf: batch) { missed += batch.count }
    batch.removeAll(keepingCapacity: true)
  }
}
