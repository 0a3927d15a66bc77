import Domain
import Reactor
import TestSupport
import Testing

@testable import FCM
@testable import Simulator

/// A project's quota, as Google counts it: whoever sends, by whichever account, from whichever node.
@Suite struct QuotaTests {
  // MARK: Nodes, on a clock of their own

  private let start = ManualClock().now
  private static let quota = 6_000

  /// A project and the nodes that send for it all they may, step by step.
  private struct Stage {
    var bucket = FCMQuota(perMinute: QuotaTests.quota)
    var nodes: [Pacer] = []
    var refused = 0
    var step = 0
    let start: Instant

    var now: Instant { start + .milliseconds(step * 5) }

    mutating func join() {
      nodes.append(Pacer(messagesPerMinute: QuotaTests.quota, nodes: nodes.count + 1, at: now))
    }

    /// Every node has heard how many live.
    mutating func hear() {
      for index in nodes.indices { nodes[index].share(among: nodes.count, at: now) }
    }

    /// Returns how many were taken.
    mutating func run(seconds: Int) -> Int {
      var taken = 0
      for _ in 0..<seconds * 200 {
        step += 1
        for index in nodes.indices {
          let count = nodes[index].allowance(step % 7 == 0 ? .urgent : .bulk, at: now)
          nodes[index].submitted(count, at: now)
          for _ in 0..<count {
            if bucket.take("a-project", now: Int64(step / 200)) == nil { taken += 1 } else { refused += 1 }
          }
        }
      }
      return taken
    }
  }

  @Test(arguments: 1...3) func `nodes together use the quota of a project and never meet its end`(_ count: Int) {
    var stage = Stage(start: start)
    for _ in 0..<count { stage.join() }
    stage.hear()
    _ = stage.run(seconds: 90)
    let steady = stage.run(seconds: 120)
    #expect(stage.refused == 0)
    #expect((11_600...12_000).contains(steady), "\(steady)")
  }

  @Test func `nodes that come and go do not meet it either`() {
    var stage = Stage(start: start)
    stage.join()
    _ = stage.run(seconds: 100)
    for _ in 0..<2 {
      stage.join()
      // The others hear of it with their next beat.
      _ = stage.run(seconds: 1)
      stage.hear()
      _ = stage.run(seconds: 100)
    }
    stage.nodes.removeLast(2)
    _ = stage.run(seconds: 10)
    stage.hear()
    _ = stage.run(seconds: 60)
    let alone = stage.run(seconds: 60)
    #expect(stage.refused == 0 && alone > 5_800, "\(alone)")
  }

  @Test func `nodes that do not know of each other meet it`() {
    var stage = Stage(start: start)
    stage.nodes = [0, 1].map { _ in Pacer(messagesPerMinute: Self.quota, at: start) }
    _ = stage.run(seconds: 120)
    #expect(stage.refused > 0)
  }

  // MARK: For real

  private static let second = PushRoute(app: 8, network: .fcm, environment: .production)
  private static let perMinute = 60_000

  /// What one project may send within a time from the first message on, and a little more for what leaves at once.
  private func most(_ seconds: Double) -> Int {
    let all = Double(Self.perMinute) / 60 * FCM.Limits.quotaPart
    return Int(all * FCM.Limits.firstPart * seconds + all / FCM.Limits.rampSeconds * seconds * seconds / 2) + 20
  }

  /// A second key of the project for a second app. The first one has its access token already.
  private func addAccount(_ harness: Harness) throws {
    #expect(try harness.deliver(["f1:APA91b1"]) == [.accepted])
    let file = try ServiceAccountFile(projectID: Harness.projectID)
    harness.simulator.register(try file.account())
    harness.sender.set(try harness.credential(file), for: Self.second.app)
    #expect(try harness.deliver(["f1:APA91b1"], try harness.makeMessage(seqno: 43), route: Self.second) == [.accepted])
  }

  @Test func `two accounts of one project share its pace`() throws {
    let began = SystemClock().now
    let harness = try Harness(quota: Self.perMinute)
    try addAccount(harness)
    let sent = try harness.flood([Harness.route, Self.second], for: .seconds(3), least: 101)
    let seconds = Double((SystemClock().now - began).nanoseconds) / 1e9
    #expect(sent.accepted > 100 && sent.accepted <= most(seconds), "\(sent) in \(seconds) s")
    #expect(sent.others.isEmpty && harness.simulator.counters().fcm.accessTokens == 2)
  }

  @Test func `two nodes share it, and meet no end of the quota`() throws {
    let first = try Harness(quota: Self.perMinute) { _ in
    } simulator: {
      $0.fcmMessagesPerMinute = Self.perMinute
    }
    let second = try Harness(quota: Self.perMinute, beside: first)
    for node in [first, second] { node.sender.share(among: 2) }
    // From here on each node gets its access token, and begins.
    let began = SystemClock().now
    let done = try Inbox<Int>(capacity: 1)
    let other = try Thread(name: "second-node") {
      _ = done.offer((try? second.flood([Harness.route], for: .seconds(3), least: 51).accepted) ?? 0)
    }
    let sent = try first.flood([Harness.route], for: .seconds(3), least: 51)
    let accepted = sent.accepted + (done.receive(atMost: .patience).first ?? 0)
    other.join()
    let seconds = Double((SystemClock().now - began).nanoseconds) / 1e9
    #expect(accepted > 100 && accepted <= most(seconds), "\(accepted) in \(seconds) s")
    #expect(sent.others.isEmpty, "\(sent.others)")
    #expect(first.simulator.counters().fcm.rejected.isEmpty)
  }

  // MARK: When it is used up all the same

  /// Makes Google answer 429 and ask for the longest rest allowed: a shorter one may end before the test looks.
  private func meetTheEnd(_ harness: Harness, seqno: Int64, lane: Lane) throws {
    var fault = Fault(.answer)
    (fault.status, fault.reason, fault.retryAfterSeconds, fault.times) = (429, "QUOTA_EXCEEDED", 600, 1)
    try harness.simulator.add(fault)
    #expect(
      try harness.deliver(["f1:APA91b1"], try harness.makeMessage(seqno: seqno, lane: lane))
        == [.retry(reason: "QUOTA_EXCEEDED", after: 600)])
  }

  @Test func `after a 429 the project rests, whichever account met it, but for a little that is urgent`() throws {
    let harness = try Harness()
    try addAccount(harness)
    try meetTheEnd(harness, seqno: 50, lane: .normal)
    for route in [Harness.route, Self.second] {
      for lane in [Lane.normal, .bulk] {
        #expect(try harness.send(["f2:APA91b2"], try harness.makeMessage(seqno: 51, lane: lane), route: route).isEmpty)
      }
      let urgent = try harness.makeMessage(seqno: 52, lane: .urgent)
      #expect(try harness.deliver(["f2:APA91b2"], urgent, route: route) == [.accepted])
    }
    // Refused although all the others rest: there is nothing left at all.
    try meetTheEnd(harness, seqno: 53, lane: .urgent)
    for route in [Harness.route, Self.second] {
      let urgent = try harness.makeMessage(seqno: 54, lane: .urgent)
      #expect(try harness.send(["f2:APA91b2"], urgent, route: route).isEmpty)
    }
  }
}
