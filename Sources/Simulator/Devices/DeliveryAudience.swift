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
  /// The device of each token, plus 1, by the token's index; 0 for none. Tokens beyond it have none.
  private var devices: [UInt32] = []
  private var batch: [DevicePush] = []
  /// Pushes that did not fit into the inbox. A device that is switched off misses pushes too.
  private(set) var missed = 0

  init(inbox: Inbox<DevicePush>) {
    self.inbox = inbox
  }

  func add(_ device: Int, token: TokenRegistry.Index) {
    while devices.count <= token { devices.append(0) }
    devices[token] = UInt32(device + 1)
  }

  func deliver(_ payload: @autoclosure () -> [UInt8], to token: TokenRegistry.Index) {
    guard token < devices.count, devices[token] > 0 else { return }
    batch.append(DevicePush(device: Int(devices[token] - 1), payload: payload()))
  }

  func flush() {
    guard !batch.isEmpty else { return }
    if !inbox.offer(contentsOf: batch) { missed += batch.count }
    batch.removeAll(keepingCapacity: true)
  }
}
