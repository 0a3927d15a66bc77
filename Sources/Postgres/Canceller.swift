internal import CLibPQ
internal import Reactor
internal import Synchronization

/// Cancels, from another thread, the statement that a `Connection` is running: the call there throws `queryCanceled`.
///
/// Put one into the options of a connection; it follows the connection through every reconnect. A statement that may
/// already be committing is left alone, because PostgreSQL would then report success without waiting for its standby:
/// COMMIT always, a write outside a transaction unless `sparesWrites` is false (no caller was promised its outcome).
///
/// ```
///   idle ──statement begins──► running, may be cancelled ──cancel──► (the server is asked) ──► 57014
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

  /// - Parameter sparesWrites: whether writes that commit by themselves are left alone.
  package init(sparesWrites: Bool = true) {
    self.sparesWrites = sparesWrites
  }

  /// Asks once; does nothing if no statement runs that may be cancelled. Blocks until the server has accepted the
  /// request, and holds the lock meanwhile, so that it cannot hit the next statement instead.
  package func cancel() {
    state.withLock { if $0.mayCancel { $0.key?.ask() } }
  }

  /// Asks ten times a second, on a thread of its own: the stopping thread need not wait for a server that does not
  /// answer, and statements that begin a moment later are cancelled too. Ends with `release`.
  package func keepCancelling() {
    // Without a thread nothing is cancelled, and stopping takes longer.
    _ = try? Thread(name: "cancel") { [self] in
      while !state.withLock(\.isOver) {
        cancel()
        Polling.rest(Postgres.Limits.cancelPause)
      }
    }
  }

  /// Stops cancelling.
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
  /// True if its text names nothing that writes. `FOR UPDATE` counts as a write: better to cancel one too few.
  var onlyReads: Bool {
    !["INSERT", "UPDATE", "DELETE"].contains { sql.utf8.contains($0.utf8) }
  }
}

/// libpq's key for cancelling what one session runs.
@safe
final class CancelKey: Sendable {
  /// Owned by this object until `deinit`. libpq only reads it, so any thread may use it.
  private nonisolated(unsafe) let handle: OpaquePointer

  init(owning handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  deinit {
    unsafe PQfreeCancel(handle)
  }

  /// Sends the request. Failures are not reported: whether it came too late cannot be known anyway.
  func ask() {
    var message = [CChar](repeating: 0, count: 256)
    // Safe: the buffer lives through the call, which writes at most its length.
    _ = unsafe PQcancel(handle, &message, Int32(message.count))
  }
}
