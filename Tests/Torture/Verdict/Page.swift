import Foundation
import Simulator

/// The report at the end, one page long.
struct Page: Codable, Sendable {
  struct Latency: Codable, Sendable {
    let count: Int
    let p50Milliseconds: Double
    let p99Milliseconds: Double
    let largestMilliseconds: Double

    init(_ microseconds: [Int64]) {
      let sorted = microseconds.sorted()
      count = sorted.count
      func at(_ part: Double) -> Double {
        sorted.isEmpty ? 0 : Double(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) / 1000
      }
      p50Milliseconds = at(0.5)
      p99Milliseconds = at(0.99)
      largestMilliseconds = at(1)
    }
  }

  struct Recovery: Codable, Sendable {
    let kind: String
    let milliseconds: Double

    /// The longest recovery; nil if there is none.
    init?(_ recoveries: [Recorder.Recovery]) {
      guard let longest = recoveries.max(by: { $0.microseconds < $1.microseconds }) else { return nil }
      kind = longest.kind
      milliseconds = Double(longest.microseconds) / 1000
    }

    var text: String { "\(Int(milliseconds)) ms after \(kind)" }
  }

  let seed: UInt64
  let seconds: Double
  let devices: Int
  let nodes: Int
  let messages: Int
  let targeted: Int
  let accepted: Int
  let rejected: Int
  let expired: Int
  let cancelled: Int
  let skipped: Int
  let unknown: Int
  let resent: Int
  /// Pushes that the network accepted, and those of them that a device already had.
  let received: Int
  let duplicates: Int
  /// Duplicates that arrived after their message was final.
  let late: Int
  let receipts: Int
  let reads: Int
  let registrations: Int
  let tokenMoves: Int
  let pauses: Int
  let cancellations: Int
  let calls: Int
  let callsLost: Int
  let callsBusy: Int
  let looks: Int
  let oddAnswers: [String]
  let deeds: [String: Int]
  let networkFaults: [String: Int]
  let networkRefusals: [String: Int]
  let connections: Int
  let longestRecovery: Recovery?
  /// Of kills with no other act before the next delivery.
  let longestRecoveryAlone: Recovery?
  let urgent: Latency
  /// Only messages requested after six undisturbed seconds.
  let urgentInQuiet: Latency
  let memory: [[Samples.Part]]
  let violations: [Verdict.Violation]
  let violationCounts: [String: Int]

  var isClean: Bool { violations.isEmpty }

  init(
    _ plan: Plan, _ driver: Driver, _ totals: Verifier.Totals, _ counters: Counters, _ deeds: [String: Int],
    _ samples: Samples, _ verdict: Verdict, seconds: Double
  ) {
    seed = plan.seed
    self.seconds = seconds
    devices = plan.devices
    nodes = plan.nodes
    messages = driver.messages.count
    targeted = totals.targeted
    accepted = totals.accepted
    rejected = totals.rejected
    expired = totals.expired
    cancelled = totals.cancelled
    skipped = totals.skipped
    unknown = totals.unknown
    resent = totals.resent
    received = driver.recorder.received
    duplicates = driver.recorder.repeated
    late = driver.recorder.late
    receipts = driver.confirmer.receiptsAnswered
    reads = driver.confirmer.readsAnswered
    registrations = driver.registrar.registrations
    tokenMoves = driver.sharedTokens.moves
    pauses = driver.operators.pauses
    cancellations = driver.operators.cancellations
    calls = driver.calls.answered
    callsLost = driver.calls.lost
    callsBusy = driver.calls.busy
    looks = verdict.looks
    oddAnswers = driver.calls.odd
    self.deeds = deeds
    networkFaults = counters.faults
    networkRefusals = counters.rejected
    connections = counters.connectionsOpened
    longestRecovery = Recovery(driver.recorder.recoveries)
    longestRecoveryAlone = Recovery(driver.recorder.recoveries.filter(\.isAlone))
    urgent = Latency(driver.recorder.urgent)
    urgentInQuiet = Latency(driver.recorder.calmUrgent)
    memory = samples.thirds
    violations = verdict.violations
    violationCounts = verdict.counts
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  // MARK: As text

  var text: String {
    ([heading, counts, damage, speed, memoryTable, findings]).joined(separator: "\n\n")
  }

  private var heading: String {
    "TORTURE  seed \(seed), \(devices) devices, \(nodes) node(s) on one PostgreSQL, \(Int(seconds)) s in all"
  }

  private var counts: String {
    """
    messages \(messages)   deliveries targeted \(targeted)
      accepted \(accepted)   rejected \(rejected)   expired \(expired)   cancelled \(cancelled)   skipped \(skipped)
      unknown \(unknown)   resent \(resent)
    the network received \(received), duplicates \(duplicates), \(late) of them late
    receipts answered \(receipts)   reads \(reads)   registrations \(registrations)   tokens moved \(tokenMoves)
    campaigns paused \(pauses)   cancelled \(cancellations)
    calls answered \(calls)   lost \(callsLost)   told to wait \(callsBusy)   looks at the numbers (I2) \(looks)
    """
  }

  private var damage: String {
    let list = deeds.sorted { $0.key < $1.key }.map { "  \($0.key) \($0.value)" }
    let faults = networkFaults.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    return """
      what was done
      \(list.joined(separator: "\n"))
      requests that met a fault: \(faults.isEmpty ? "none" : faults.joined(separator: ", "))
      connections to the network: \(connections)
      """
  }

  private var speed: String {
    return """
      longest recovery (kill to the next delivery): \(longestRecovery?.text ?? "nothing was killed")
        with nothing else done meanwhile: \(longestRecoveryAlone?.text ?? "never")
      urgent, request to network   \(row(urgent))
        in quiet times             \(row(urgentInQuiet))
      """
  }

  private func row(_ latency: Latency) -> String {
    func text(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
    return """
      p50 \(text(latency.p50Milliseconds)) ms   p99 \(text(latency.p99Milliseconds)) ms   \
      longest \(text(latency.largestMilliseconds)) ms   (\(latency.count))
      """
  }

  private var memoryTable: String {
    var lines = ["memory in MiB and descriptors, median (largest)     first third       second third      last third"]
    for (index, parts) in memory.enumerated() {
      let memory = parts.map { cell("\(Int($0.medianMiB)) (\(Int($0.largestMiB)))") }
      let descriptors = parts.map { cell("\($0.medianDescriptors) (\($0.largestDescriptors))") }
      lines.append("  server \(index + 1)   memory                               \(memory.joined())")
      lines.append("             descriptors                          \(descriptors.joined())")
    }
    return lines.joined(separator: "\n")
  }

  private func cell(_ text: String) -> String { text + String(repeating: " ", count: max(1, 18 - text.count)) }

  private var findings: String {
    guard !isClean else { return "VERDICT: no violation" }
    var lines: [String] = []
    for violation in violations.prefix(12) {
      lines.append("\(violation.invariant) at \(Int(violation.at)) s: \(violation.evidence)")
      lines.append("    after \(violation.after.joined(separator: "; "))")
    }
    let sums = violationCounts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
    lines.append("VERDICT: VIOLATED: \(sums.joined(separator: ", ")). Again: --seed \(seed)")
    return lines.joined(separator: "\n")
  }
}
