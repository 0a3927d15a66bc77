internal import CLibPQ
internal import Reactor
internal import Synchronization

/// Cancels, from another thread, the statement that a call of `Connection.run` waits for; that call then throws
/// `queryCanceled`. Other calls, such as `script` and `copyIn`, are never cancelled.
///
/// Pass it in the options of a connection; it stays valid across reconnects. A statement that may already be committing
/// is not cancelled, because PostgreSQL would then report success without waiting for its standby. This applies to
/// COMMIT always, and by default to writes outside a transaction (see `sparesWrites`).
///
/// ```
///   idle ──statement begins──► running, may be cancelled ──cancel──► (request sent)       ──► 57014
///     ▲                        running, must not be: COMMIT, a write outside a transaction
///     └──────── answered ──────┘
/// ```
package final class Canceller: Sendable {
  private struct State {
    var key: CancelKey?
    var mayCancel = false
    var isOver = false
  }

  private let state = Mutex(State())
  private let sparesWrites: Bool

  /// Creates a canceller for one connection.
  /// - Parameter sparesWrites: false to cancel writes outside a transaction too, where no caller depends on their
  ///   outcome.
  package init(sparesWrites: Bool = true) {
    self.sparesWrites = sparesWrites
  }

  /// Sends one cancel request; does nothing if no cancellable statement is running. Blocks until the server has
  /// accepted the request or cannot be reached, and holds the lock meanwhile, so that the request cannot hit the next
  /// statement: the connection's thread waits for it, too.
  package func cancel() {
    state.withLock { if $0.mayCancel { $0.key?.ask() } }
  }

  /// Sends cancel requests ten times a second from a thread of its own, until `release`. The caller need not wait for
  /// an unresponsive server, and statements that begin a moment later are cancelled too. Does nothing if no thread can
  /// be created.
  package func keepCancelling() {
    // If no thread can be created, nothing is cancelled, and stopping takes longer.
    _ = try? Thread(name: "cancel") { [self] in
      while !state.withLock(\.isOver) {
        cancel()
        Polling.rest(Postgres.Limits.cancelPause)
      }
    }
  }

  /// Ends `keepCancelling` after its current request and pause. A later `keepCancelling` does nothing.
  package func release() {
    state.withLock { $0.isOver = true }
  }

  // MARK: Used by the connection

  func follow(_ key: CancelKey?) {
    state.withLock { state in
      state.key = key
      state.mayCancel = false
    }
  }

  func begins(_ statement: Statement, inTransaction: Bool) {
    let mayCancel: Bool
    if inTransaction {
      mayCancel = statement != .commit
    } else {
      mayCancel = !sparesWrites || statement.onlyReads
    }
    state.withLock { $0.mayCancel = mayCancel }
  }

  func ended() {
    state.withLock { $0.mayCancel = false }
  }
}

extension Postgres.Limits {
  /// Interval between two cancel requests.
  static let cancelPause: Duration = .milliseconds(100)
}

extension Statement {
  /// True if the statement text contains none of the keywords INSERT, UPDATE and DELETE in capitals. `FOR UPDATE`
  /// counts as a write, which errs on the safe side: the statement is not cancelled. Other writes are not recognized,
  /// such as MERGE, TRUNCATE and functions that write.
  var onlyReads: Bool {
    !["INSERT", "UPDATE", "DELETE"].contains { sql.utf8.contains($0.utf8) }
  }
}

/// Owns libpq's cancellation handle (`PGcancel`) of one session.
@safe
final class CancelKey: Sendable {
  /// Freed in `deinit`. libpq only reads it, so any thread may use it.
  private nonisolated(unsafe) let handle: OpaquePointer

  init(owning handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  deinit {
    unsafe PQfreeCancel(handle)
  }

  /// Sends a cancel request. Failures are ignored, because even a successful request may arrive too late.
  func ask() {
    var message = [CChar](repeating: 0, count: 256)
    // Safe: the buffer lives through the call, which writes at most its length.
    _ = unsafe PQcancel(handle, &message, Int32(message.count))
  }
}
