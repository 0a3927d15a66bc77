internal import Domain
internal import Postgres
internal import Reactor

/// Thread `import-share`: streams its share of a batch's lines over its own connection while the caller streams the
/// others, because PostgreSQL serves each connection on one processor.
///
/// ```
///   lines ──┬── of half the users ──► this thread ──┐
///           └── of the others ─────► the caller ───┴──► remaining lines in order, by the caller
/// ```
/// The thread ends when this object is released.
final class InstalledShare: Sendable {
  private typealias Result = Swift.Result<InstalledBatch.Outcome, Problem>

  private let batch: InstalledBatch
  private let work: Inbox<[InstalledLine]>
  private let done: Inbox<Result>

  /// Starts the thread.
  /// - Parameter connect: opens the thread's connection when the first batch is shared.
  init(_ batch: InstalledBatch, connect: @escaping Connection.Maker) throws(Problem) {
    self.batch = batch
    do throws(SystemError) {
      let (work, done) = (try Inbox<[InstalledLine]>(capacity: 1), try Inbox<Result>(capacity: 1))
      (self.work, self.done) = (work, done)
      _ = try Thread(name: "import-share") {
        var connection: Connection?
        while !work.isClosed {
          for lines in work.receive(atMost: .seconds(60)) {
            _ = done.offer(Self.stream(lines, batch, &connection, connect))
          }
        }
      }
    } catch {
      throw Problem(.internalError, "The file cannot be taken in: \(error).")
    }
  }

  deinit {
    work.close()
  }

  /// Imports lines, and blocks until all are imported. If there are at least `installedShare`, the thread streams its
  /// share of them; otherwise the caller streams all. The caller uses `connection`.
  /// - Returns: the verdict of each line, in their order.
  /// - Throws: the caller's problem, or else the thread's, after both have ended; some lines may have been written.
  func run(_ lines: [InstalledLine], on connection: Connection) throws(Problem) -> [InstalledBaseRules.Verdict] {
    guard lines.count >= Operations.Limits.installedShare else {
      return try batch.finish(lines, try batch.stream(lines, on: connection), on: connection)
    }
    let others = lines.indices.filter { isShared(lines[$0]) }
    let own = lines.indices.filter { !isShared(lines[$0]) }
    let isTaken = work.offer(others.map { lines[$0] })
    precondition(isTaken, "a batch is shared before the last one has come back")
    let mine = Result { () throws(Problem) in try batch.stream(own.map { lines[$0] }, on: connection) }
    // Wait whatever our own result is, because nothing may be written after this returns.
    let theirs = wait()
    var outcome = InstalledBatch.Outcome(verdicts: lines.map { _ in .unchanged }, open: [])
    for (indices, some) in [(own, try mine.get()), (others, try theirs.get())] {
      for (index, verdict) in zip(indices, some.verdicts) { outcome.verdicts[index] = verdict }
      outcome.open += some.open.map { indices[$0] }
    }
    outcome.open.sort()
    return try batch.finish(lines, outcome, on: connection)
  }

  private func wait() -> Result {
    while true {
      if let result = done.receive(atMost: .seconds(60)).first { return result }
    }
  }

  /// Returns whether the thread, not the caller, streams the line. The thread streams the lines of half of the users,
  /// and half of the lines without a user.
  private func isShared(_ line: InstalledLine) -> Bool {
    if case .named(let user) = line.user { return user.hashValue & 1 == 0 }
    return line.device.hashValue & 1 == 0
  }

  private static func stream(
    _ lines: [InstalledLine], _ batch: InstalledBatch, _ connection: inout Connection?, _ connect: Connection.Maker
  ) -> Result {
    Result { () throws(Problem) in
      if connection == nil {
        do throws(PostgresError) { connection = try connect() } catch { throw Problem(error) }
      }
      guard let connection else { return InstalledBatch.Outcome(verdicts: [], open: []) }
      return try batch.stream(lines, on: connection)
    }
  }
}

extension Operations.Limits {
  /// Minimum number of lines for which a second connection pays off.
  static let installedShare = 200
}
