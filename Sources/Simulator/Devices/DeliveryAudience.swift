internal import Reactor

/// A push delivered to a virtual device.
package struct DevicePush: Sendable {
  /// Number of the device, from 0.
  let device: Int
  let payload: [UInt8]
}

/// Passes accepted pushes to the virtual devices. Collects those of a loop iteration and delivers them in one batch.
final class DeliveryAudience {
  private let inbox: Inbox<DevicePush>
  /// For each token index, the number of its device plus 1; 0 for none. Tokens beyond the end have no device.
  private var devices: [UInt32] = []
  private var batch: [DevicePush] = []
  /// Number of pushes dropped because their batch did not fit into the inbox, or the inbox was closed.
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
