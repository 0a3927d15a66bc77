import Reactor
import Simulator

/// Campaigns one after the other, as fast as the center finishes them: to everybody without a badge, and to the ledger's
/// users with one.
final class Campaigns {
  private unowned let driver: Driver
  private(set) var sent = 0

  init(_ driver: Driver) {
    self.driver = driver
  }

  func begin() {
    sendToAll()
    sendBadges()
  }

  private func sendToAll() {
    guard !driver.isResting else { return }
    sent += 1
    let lane = driver.dice.roll(0.5) ? "bulk" : "normal"
    let unknown = driver.dice.roll(0.2) ? "skip" : "resend"
    driver.send(.campaign, #"{"all":true}"#, #","lane":"\#(lane)","onUnknown":"\#(unknown)""#) { [self] _ in
      pause { [self] in sendToAll() }
    }
  }

  private func sendBadges() {
    guard !driver.isResting, let group = driver.group else { return }
    sent += 1
    let recipients = Set(driver.cast.numbers(.ledger))
    driver.send(
      .badges, #"{"groups":["\#(group)"]}"#, #","badge":{"increment":1},"lane":"bulk""#, recipients: recipients
    ) { [self] _ in
      pause { [self] in sendBadges() }
    }
  }

  /// The next one begins a little later, never twice in the same rhythm.
  private func pause(_ next: @escaping () -> Void) {
    driver.loop.schedule(after: .milliseconds(Int64(100 + driver.dice.next() % 900)), next)
  }

  /// Everybody who should be reachable, once.
  func callTheRoll(completion: @escaping (Message) -> Void) {
    driver.send(.rollCall, #"{"all":true}"#, #","lane":"normal""#, completion: completion)
  }
}
