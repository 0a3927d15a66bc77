/// The totals over all rounds of an endurance run.
struct EnduranceSums {
  private(set) var rounds = 0
  /// Rounds that did not complete.
  private(set) var broken = 0
  private(set) var wasInterrupted = false
  private(set) var findings: [String] = []
  private var received = 0
  private var messages = 0
  private var calls = 0
  private var judged = 0
  private var undecided = 0
  private var deeds: [String: Int] = [:]
  private var longestRecovery: Page.Recovery?

  var isClean: Bool { findings.isEmpty && rounds > 0 }

  mutating func take(_ page: Page, wasInterrupted: Bool) {
    rounds += 1
    self.wasInterrupted = wasInterrupted
    received += page.received
    messages += page.messages
    calls += page.calls
    deeds.merge(page.deeds) { $0 + $1 }
    if let recovery = page.longestRecoveryAlone, recovery.milliseconds > longestRecovery?.milliseconds ?? 0 {
      longestRecovery = recovery
    }
    for violation in page.violations.prefix(3) {
      findings.append("round \(rounds), seed \(page.seed): \(violation.invariant): \(violation.evidence)")
    }
  }

  /// A round that did not complete counts as one with a finding.
  mutating func note(_ finding: String) {
    rounds += 1
    broken += 1
    findings.append(finding)
  }

  mutating func take(_ round: JudgedRound, _ verdict: JudgedRound.Verdict, keeping kept: Int) {
    judged += 1
    switch verdict {
    case .good: round.forget()
    case .undecided:
      undecided += 1
      round.forget()
    case .bad(let words):
      findings.append("round \(round.number), the judge: \(words)")
      if findings.count > kept { round.forget() }
    }
  }

  func tell(hours: Double) {
    Console.say(
      "ENDURANCE \((hours * 100).rounded() / 100) h: \(rounds) rounds, \(received) received, \(judged) judged, "
        + "\(findings.count) findings")
  }

  func text(hours: Double) -> String {
    let list = deeds.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let lines = [
      "ENDURANCE  \((hours * 100).rounded() / 100) h, \(rounds) rounds",
      "messages \(messages)   received \(received)   calls answered \(calls)",
      "what was done: \(list)",
      "longest recovery with nothing else done meanwhile: \(longestRecovery?.text ?? "never")",
      "judged by Tests/Judge: \(judged) rounds, \(undecided) of them undecided in part",
    ]
    let end = isClean ? "VERDICT: no violation" : "VERDICT: \(findings.count) findings"
    return (lines + findings.prefix(Torture.Limits.tellings) + [end]).joined(separator: "\n")
  }
}
