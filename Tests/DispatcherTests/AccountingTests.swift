import Postgres
import Simulator
import Store
import TestSupport
import Testing
import Time

@testable import Dispatcher
@testable import Domain

/// I2 under chance: whatever a network answers, at every instant the numbers of a message add up.
@Suite struct AccountingTests {
  /// Anything a network may say, by (device, attempt) and the seed; after three tries it makes up its mind.
  private static func answer(_ seed: UInt64, _ target: PushTarget, _ attempt: Int, refusals: Int) -> SubmissionResult {
    var dice = SplitMix64(seed: seed &* 1_000_003 &+ target.device.low &* 101 &+ UInt64(attempt))
    let final: [SubmissionResult] = [
      .accepted, .accepted, .rejected(reason: "PayloadTooLarge"), .badToken(reason: "Unregistered", since: 1),
      .badToken(reason: "Unregistered", since: Timestamp(milliseconds: 4_000_000_000_000)),
      .badToken(reason: "ExpiredToken", since: nil),
    ]
    if Int(dice.next() % 100) < refusals {
      return dice.next() % 2 == 0
        ? .badToken(reason: "BadDeviceToken", since: nil) : .badToken(reason: "DeviceTokenNotForTopic", since: nil)
    }
    let open: [SubmissionResult] = [
      .notProcessed, .stale, .unknown(reason: "reset"), .retry(reason: "InternalServerError", after: nil),
      .wrongEnvironment(reason: "BadEnvironmentKeyIdInToken"),
    ]
    let choices = attempt < 3 ? final + open : final
    return choices[Int(dice.next() % UInt64(choices.count))]
  }

  @Test(arguments: [UInt64(1), 2], [10, 70])
  func `sums are the target at every instant, and totals are what the rows say`(_ seed: UInt64, _ refusals: Int) throws
  {
    let world = try DispatcherWorld { _, target, attempt in
      Self.answer(seed, target, attempt, refusals: refusals)
    }
    // Users with one, two and three devices.
    for user in 0..<40 { try world.makeDevices(user * 10 + 1..<user * 10 + 2 + user % 3, user: "u\(user)") }
    try world.makeDevices(1000..<1300)
    var seqnos: [Seqno] = []
    for part in 0..<3 {
      seqnos.append(
        try world.send(#"{"all":true}"#, #","badge":{"increment":1},"onUnknown":"\#(part == 1 ? "skip" : "resend")""#))
    }
    var resumptions = 0
    _ = try poll("the messages have not ended", every: .milliseconds(20)) {
      var open = false
      for seqno in seqnos {
        let funnel = try world.funnel(seqno).funnel
        if let targeted = funnel.targeted {
          let numbers = [funnel.accepted, funnel.rejected, funnel.expired, funnel.cancelled, funnel.skipped]
          #expect(numbers.allSatisfy { $0 >= 0 } && funnel.decided <= targeted, "\(funnel)")
        }
        open = open || !funnel.state.isFinal
      }
      guard open else { return true }
      // A flood is met by an operator who changes nothing, five times; then the network comes to its senses.
      if try world.connection.run(AppPauses.reason(of: world.app)) != nil, try world.count("claims") == 0 {
        resumptions += 1
        if resumptions == 5 { world.network.answer { _, _, _ in .accepted } }
        try world.resume()
      }
      return nil
    }
    for seqno in seqnos { try check(seqno, world) }
    try checkBadges(seqnos, world)
    if refusals > 50 { #expect(resumptions > 0, "a flood must open the breaker") }
  }

  private func check(_ seqno: Seqno, _ world: DispatcherWorld) throws {
    let (funnel, _) = try world.funnel(seqno)
    #expect(funnel.pending == 0)
    #expect(try world.count("deliveries WHERE seqno = \(seqno)") == funnel.targeted)
    for (status, total) in [
      (OutcomeStatus.accepted, funnel.accepted), (.rejected, funnel.rejected), (.expired, funnel.expired),
      (.cancelled, funnel.cancelled), (.skipped, funnel.skipped), (.deferred, 0),
    ] {
      #expect(
        try world.count("deliveries WHERE seqno = \(seqno) AND status = \(status.rawValue)") == total, "\(status)")
    }
    // Reasons: from the rows and from the totals, the same.
    let difference = """
      (SELECT reason, count(*)::bigint FROM deliveries WHERE seqno = \(seqno) AND reason IS NOT NULL GROUP BY reason
       EXCEPT SELECT reason, sum(count)::bigint FROM reason_totals WHERE seqno = \(seqno) GROUP BY reason) d
      """
    #expect(try world.count(difference) == 0)
    let surplus = """
      (SELECT reason, sum(count)::bigint FROM reason_totals WHERE seqno = \(seqno) GROUP BY reason HAVING sum(count) <> 0
       EXCEPT SELECT reason, count(*)::bigint FROM deliveries WHERE seqno = \(seqno) GROUP BY reason) d
      """
    #expect(try world.count(surplus) == 0)
  }

  /// A user's count is the number of messages of which at least one delivery did not end negative.
  private func checkBadges(_ seqnos: [Seqno], _ world: DispatcherWorld) throws {
    let wrong = """
      (SELECT u.user_key FROM users u LEFT JOIN (
         SELECT user_key, count(DISTINCT seqno) AS delivered FROM deliveries WHERE status = 1 GROUP BY user_key) o
         ON o.user_key = u.user_key
       WHERE u.badge <> coalesce(o.delivered, 0)) d
      """
    #expect(try world.count(wrong) == 0)
    #expect(try world.count("badge_ledger WHERE negatives < 0 OR negatives > deliveries") == 0)
  }
}
