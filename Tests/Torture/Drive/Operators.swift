import Reactor
import Simulator

/// Operators who change their minds: they pause and resume a running campaign, or cancel it.
final class Operators {
  private unowned let driver: Driver
  private(set) var pauses = 0
  private(set) var cancellations = 0

  init(_ driver: Driver) {
    self.driver = driver
  }

  /// Decides what happens to a newly accepted campaign; most are left alone.
  func take(_ message: Message) {
    let chance = driver.dice.next() % 10
    guard chance < 3 else { return }
    driver.loop.schedule(after: .milliseconds(Int64(driver.dice.next() % 40))) { [self] in
      if chance == 0 { cancel(message) } else { pause(message) }
    }
  }

  private func cancel(_ message: Message) {
    control("cancel", message) { [self] in
      cancellations += 1
      message.stoppedAt = driver.now
    }
  }

  private func pause(_ message: Message) {
    control("pause", message) { [self] in
      pauses += 1
      message.stoppedAt = driver.now
      driver.loop.schedule(after: .milliseconds(Int64(1200 + driver.dice.next() % 3000))) { [self] in
        message.stoppedAt = nil
        control("resume", message) {}
      }
    }
  }

  /// Repeats the call until answered. A message that has ended in the meantime cannot be stopped, and the response says
  /// so.
  private func control(_ what: String, _ message: Message, then: @escaping () -> Void) {
    guard let seqno = message.seqno else { return }
    driver.calls.send("POST", "/v1/admin/messages/\(seqno)/\(what)", bearer: driver.apiKey) { [self] reply in
      switch reply.status {
      case 200...204: then()
      case 409: return
      default: driver.verdict.violate("S5", "\(what) of message \(seqno) was answered \(reply.status) \(reply.text)")
      }
    }
  }
}
