import Reactor
import Simulator

/// Sends campaigns continuously: to everyone without a badge, and to the ledger's users with one. A few of each may be
/// open at once, so work continues while one of them waits for a dead server's lease or a retry.
final class Campaigns {
  /// Maximum open campaigns of one kind.
  private static let together = 3
  private unowned let driver: Driver
  private var open: [Message.Kind: Int] = [:]

  init(_ driver: Driver) {
    self.driver = driver
  }

  func begin() {
    tick()
  }

  private func tick() {
    guard !driver.isResting else { return }
    let kind: Message.Kind = driver.dice.roll(0.5) ? .campaign : .badges
    if open[kind, default: 0] < Self.together { send(kind) }
    // Random intervals, so that no rhythm forms.
    driver.loop.schedule(after: .milliseconds(Int64(100 + driver.dice.next() % 900))) { [self] in tick() }
  }

  private func send(_ kind: Message.Kind) {
    open[kind, default: 0] += 1
    let ended: (Message) -> Void = { [self] _ in open[kind, default: 0] -= 1 }
    if kind == .badges, let group = driver.group {
      let recipients = Set(driver.cast.numbers(.ledger))
      driver.send(
        .badges, #"{"groups":["\#(group)"]}"#, #","badge":{"increment":1},"lane":"bulk""# + ShortMessages.request,
        recipients: recipients,
        completion: ended)
    } else {
      let lane = driver.dice.roll(0.5) ? "bulk" : "normal"
      let unknown = driver.dice.roll(0.2) ? "skip" : "resend"
      let sms = driver.plan.asksForShortMessages ? ShortMessages.request : ""
      driver.send(
        .campaign, #"{"all":true}"#, #","lane":"\#(lane)","onUnknown":"\#(unknown)""# + sms, completion: ended)
    }
  }

  /// Sends to every reachable device once. The message outlives all after-effects of the last faults.
  func callTheRoll(completion: @escaping (Message) -> Void) {
    driver.send(.rollCall, #"{"all":true}"#, #","lane":"normal""#, life: 600, completion: completion)
  }
}
