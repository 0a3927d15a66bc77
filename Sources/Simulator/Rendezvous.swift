internal import Reactor
internal import Synchronization

/// A one-time handover of a value to another thread that waits for it.
final class Rendezvous<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let wakeup: Wakeup

  init() throws(SystemError) {
    wakeup = try Wakeup()
  }

  func put(_ value: Value) {
    self.value.withLock { $0 = value }
    wakeup.signal()
  }

  /// Waits for the value, without a timeout.
  func take() -> Value {
    while true {
      if let value = value.withLock({ $0 }) { return value }
      _ = wakeup.wait(atMost: .seconds(60))
    }
  }
}
