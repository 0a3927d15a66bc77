internal import Synchronization
package import Time

/// The database's time, which all nodes share: this machine's monotonic clock plus an offset estimated from the
/// database's answers. Used for every time that is stored, or compared with stored times.
///
/// A node whose wall clock is wrong, or jumps, therefore stores and decides the same as any other node. After the first
/// answer, the wall clock serves only to detect a discrepancy: above 1 s it is reported; above 30 s the node acquires
/// no leases, because one of the two clocks is wrong and the node cannot tell which.
///
/// ```
///   asked ──────── the database reads its clock ──────── answered      (monotonic)
///            the offset is between  its time − answered  and  its time − asked
/// ```
/// The offset is kept while it is between these bounds, and otherwise moves to the nearer bound, so that a slow
/// answer, which is imprecise, causes no jump. It begins as the machine's own, so that no answer, however slow, makes
/// the clocks differ by more than it proves. Written by one thread at a time, read by any.
package final class DatabaseClock: Clock {
  package enum Limits {
    /// The difference between the two clocks above which it is reported, because log lines of different machines no
    /// longer line up.
    package static let complaint: Duration = .seconds(1)
    /// The difference between the two clocks above which the node acquires no leases.
    package static let refusal: Duration = .seconds(30)
    /// Time for which a reading of the database's clock counts as recent: the duration of a lease.
    package static let memory: Duration = .seconds(10)
  }

  private static let nothing = Int64.min

  private let machine: any Clock
  /// The estimated Unix time at the monotonic clock's zero, in microseconds; `nothing` before the first answer.
  private let start = Atomic(nothing)
  /// The monotonic time of the last answer, in nanoseconds; `nothing` before the first.
  private let learntAt = Atomic(nothing)

  /// Creates a clock without a reading.
  /// - Parameter machine: provides the monotonic clock, and the wall clock to check. Its wall clock is used until the
  ///   first answer.
  package init(machine: any Clock = SystemClock()) {
    self.machine = machine
  }

  package var now: Instant { machine.now }

  package var wallTime: Timestamp {
    let start = start.load(ordering: .relaxed)
    return start == Self.nothing
      ? machine.wallTime : Timestamp(microseconds: start + machine.now.nanoseconds / 1_000)
  }

  /// Updates the offset from one reading of the database's clock.
  /// - Parameters:
  ///   - time: the time that the database reported.
  ///   - asked: monotonic time at which the query was sent.
  ///   - answered: monotonic time at which its result arrived.
  /// - Returns: how far the database's clock has jumped relative to this machine's monotonic clock (negative if
  ///   backwards), not counting what the query's duration explains. Nil for the first reading, or if the jump does not
  ///   exceed `Limits.refusal` in either direction.
  @discardableResult
  package func learn(_ time: Timestamp, asked: Instant, answered: Instant) -> Duration? {
    let least = time.microseconds - answered.nanoseconds / 1_000
    let most = time.microseconds - asked.nanoseconds / 1_000
    let former = start.load(ordering: .relaxed)
    let present = former == Self.nothing ? machine.wallTime.microseconds - machine.now.nanoseconds / 1_000 : former
    let next = min(max(present, least), most)
    start.store(next, ordering: .relaxed)
    learntAt.store(answered.nanoseconds, ordering: .relaxed)
    guard former != Self.nothing else { return nil }
    let jump = Duration.microseconds(next - former)
    return abs(jump) > Limits.refusal ? jump : nil
  }

  /// The time by which this machine's wall clock is ahead of the database's, as far as the readings prove it; negative
  /// if it is behind, nil before the first reading.
  package var ahead: Duration? {
    let start = start.load(ordering: .relaxed)
    guard start != Self.nothing else { return nil }
    return machine.wallTime - Timestamp(microseconds: start + machine.now.nanoseconds / 1_000)
  }

  /// True if the two clocks differ by more than `Limits.refusal`, so that one of them must be wrong; false before the
  /// first reading.
  package var isDoubtful: Bool { ahead.map { abs($0) > Limits.refusal } ?? false }

  /// True if leases may be acquired: the last reading is at most `Limits.memory` old, and the two clocks do not differ
  /// by more than `Limits.refusal`. False before the first reading.
  package var isTrusted: Bool {
    let learnt = learntAt.load(ordering: .relaxed)
    guard learnt != Self.nothing, machine.now - Instant(nanoseconds: learnt) <= Limits.memory else { return false }
    return !isDoubtful
  }

  /// The difference between the two clocks, as the end of a sentence that begins with "this machine's clock is": `3.2 s
  /// ahead of the database's`. Nil if it does not exceed `Limits.complaint`, or before the first reading.
  package var complaint: String? {
    guard let ahead, abs(ahead) > Limits.complaint else { return nil }
    let nanoseconds = abs(ahead).nanoseconds
    let tenths = (nanoseconds + 50_000_000) / 100_000_000
    let seconds = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((nanoseconds + 500_000_000) / 1_000_000_000)"
    return "\(seconds) s \(ahead > .zero ? "ahead of" : "behind") the database's"
  }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
