internal import Synchronization

/// The time of the database that all nodes share: this machine's monotonic clock plus an offset, learnt from the
/// database's answers. Everything that is stored, or compared with stored times, uses it.
///
/// So a node whose wall clock is wrong, or jumps, stores and decides what all others would. The wall clock only serves
/// to detect a difference: above one second it is reported, and above half a minute the node takes no lease, since one
/// of the two clocks is wrong and the node cannot tell which.
///
/// ```
///   asked ──────── the database reads its clock ──────── answered      (monotonic)
///            the offset lies between  its time − answered  and  its time − asked
/// ```
/// The offset stays as it is while it lies between these bounds, and otherwise moves only to the nearer one: a slow
/// answer is a vague one and causes no jump. Written by one thread at a time, read by any.
package final class DatabaseClock: Clock {
  package enum Limits {
    /// Difference of the two clocks that is worth reporting: log lines of different machines no longer line up.
    package static let complaint: Duration = .seconds(1)
    /// Difference above which a node begins nothing.
    package static let refusal: Duration = .seconds(30)
    /// How long an answer of the database is recent enough to begin something: the length of a lease.
    package static let memory: Duration = .seconds(10)
  }

  private static let nothing = Int64.min

  private let machine: any Clock
  /// Microseconds between the monotonic clock's 0 and 1970; `nothing` before the first answer.
  private let start = Atomic(nothing)
  /// In nanoseconds of the monotonic clock.
  private let learntAt = Atomic(nothing)

  /// - Parameter machine: provides the monotonic clock, and the wall clock that is checked. Its wall clock is used
  ///   until the first answer.
  package init(machine: any Clock = SystemClock()) {
    self.machine = machine
  }

  package var now: Instant { machine.now }

  package var wallMicroseconds: Int64 {
    let start = start.load(ordering: .relaxed)
    return start == Self.nothing ? machine.wallMicroseconds : start + machine.now.nanoseconds / 1_000
  }

  /// Learns from one reading of the database's clock, in microseconds since 1970.
  /// - Parameters:
  ///   - asked: when the question was sent.
  ///   - answered: when the answer arrived.
  /// - Returns: how far the database's time has moved against this machine's monotonic clock, if that is more than a
  ///   slow answer explains and more than half a minute; nil otherwise, and the first time.
  @discardableResult
  package func learn(_ microseconds: Int64, asked: Instant, answered: Instant) -> Duration? {
    let (least, most) = (microseconds - answered.nanoseconds / 1_000, microseconds - asked.nanoseconds / 1_000)
    let former = start.load(ordering: .relaxed)
    let next = former == Self.nothing ? (least + most) / 2 : min(max(former, least), most)
    start.store(next, ordering: .relaxed)
    learntAt.store(answered.nanoseconds, ordering: .relaxed)
    guard former != Self.nothing else { return nil }
    let jump = Duration.microseconds(next - former)
    return abs(jump) > Limits.refusal ? jump : nil
  }

  /// How far this machine's wall clock is ahead of the database's time; nil before the first answer.
  package var ahead: Duration? {
    let start = start.load(ordering: .relaxed)
    guard start != Self.nothing else { return nil }
    return .microseconds(machine.wallMicroseconds - start - machine.now.nanoseconds / 1_000)
  }

  /// True if the two clocks differ so much that one of them must be wrong.
  package var isDoubtful: Bool { ahead.map { abs($0) > Limits.refusal } ?? false }

  /// True while this time is good enough to begin something: it was learnt recently and is not doubtful.
  package var isTrusted: Bool {
    let learnt = learntAt.load(ordering: .relaxed)
    guard learnt != Self.nothing, machine.now - Instant(nanoseconds: learnt) <= Limits.memory else { return false }
    return !isDoubtful
  }

  /// What is wrong with this machine's clock, as the end of a sentence that begins with it; nil if it is right.
  package var complaint: String? {
    guard let ahead, abs(ahead) > Limits.complaint else { return nil }
    let nanoseconds = abs(ahead).nanoseconds
    let tenths = (nanoseconds + 50_000_000) / 100_000_000
    let seconds = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((nanoseconds + 500_000_000) / 1_000_000_000)"
    return "\(seconds) s \(ahead > .zero ? "ahead of" : "behind") the database's"
  }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
