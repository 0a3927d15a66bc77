internal import Synchronization

/// The time of the database that all nodes share: this machine's monotonic clock, and what is to be added to it, as learnt
/// from the database's answers. Everything that is stored, or compared with what is stored, uses it.
///
/// So a node whose wall clock is wrong, or jumps, stores and decides what all others would. Its wall clock is only looked
/// at to tell of it: by more than a second people should know, and by more than half a minute the node rests, for one of
/// the two clocks is wrong, and nobody here can say which.
///
/// ```
///   asked ──────── the database reads its clock ──────── answered      (monotonic)
///            what is to be added lies between  its time − answered  and  its time − asked
/// ```
/// What is believed stays as it is while it lies between these, and moves no further than to the nearer of them: a slow
/// answer is a vague one, and makes nobody jump. Written by one thread at a time, read by any.
package final class DatabaseClock: Clock {
  package enum Limits {
    /// A difference of the two clocks that people should know of: lines of logs do not belong together any more.
    package static let complaint: Duration = .seconds(1)
    /// A difference with which a node takes up nothing.
    package static let refusal: Duration = .seconds(30)
    /// For so long what was learnt is good enough to begin something: the length of a lease.
    package static let memory: Duration = .seconds(10)
  }

  private static let nothing = Int64.min

  private let machine: any Clock
  /// Microseconds between the monotonic clock's 0 and 1970; `nothing` before the first answer.
  private let start = Atomic(nothing)
  /// Monotonic, nanoseconds.
  private let learntAt = Atomic(nothing)

  /// - Parameter machine: whose monotonic clock counts, and whose wall clock is doubted. Until something was learnt it is
  ///   believed.
  package init(machine: any Clock = SystemClock()) {
    self.machine = machine
  }

  package var now: Instant { machine.now }

  package var wallMicroseconds: Int64 {
    let start = start.load(ordering: .relaxed)
    return start == Self.nothing ? machine.wallMicroseconds : start + machine.now.nanoseconds / 1_000
  }

  /// Takes in what the database's clock showed, in microseconds since 1970, to a question asked and answered then.
  /// - Returns: how far the database's time has moved against this machine's monotonic clock, where that is more than a
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

  /// True when the two clocks differ so much that one of them is wrong.
  package var isDoubtful: Bool { ahead.map { abs($0) > Limits.refusal } ?? false }

  /// True while something may be begun by this time: it was learnt lately, and is not doubtful.
  package var isTrusted: Bool {
    let learnt = learntAt.load(ordering: .relaxed)
    guard learnt != Self.nothing, machine.now - Instant(nanoseconds: learnt) <= Limits.memory else { return false }
    return !isDoubtful
  }

  /// What is to be said of this machine's clock, as the end of a sentence that begins with it; nil: it is right.
  package var complaint: String? {
    guard let ahead, abs(ahead) > Limits.complaint else { return nil }
    let nanoseconds = abs(ahead).nanoseconds
    let tenths = (nanoseconds + 50_000_000) / 100_000_000
    let seconds = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((nanoseconds + 500_000_000) / 1_000_000_000)"
    return "\(seconds) s \(ahead > .zero ? "ahead of" : "behind") the database's"
  }
}

private func abs(_ duration: Duration) -> Duration { duration < .zero ? .zero - duration : duration }
