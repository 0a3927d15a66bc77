internal import CLibPQ
internal import Reactor
internal import Synchronization

/// Asks the server, from another thread, to give up what a `Connection` runs: the call there ends with `queryCanceled`.
///
/// Put one into the options of a connection; it follows that through every reconnect. A statement that may already be
/// committing is left alone, unless nobody was promised its outcome: PostgreSQL would then answer success without waiting
/// for its standby.
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

  /// Asks once; nothing happens when nothing runs that may be cancelled. Blocks until the server has taken it, under the
  /// lock, so that the next statement cannot be hit instead.
  package func cancel() {
    state.withLock { if $0.mayCancel { $0.key?.ask() } }
  }

  /// Asks ten times a second, on a thread of its own: whoever stops need not wait for a server that does not answer, and what
  /// begins a moment later is cancelled too. Ends with `release`.
  package func keepCancelling() {
    // Without a thread nothing is cancelled, and the stop takes longer.
    _ = try? Thread(name: "cancel") { [self] in
      while !state.withLock(\.isOver) {
        cancel()
        Polling.rest(Postgres.Limits.cancelPause)
      }
    }
  }

  /// Nothing more is to be cancelled.
  package func release() {
    state.withLock { $0.isOver = true }
  }

  // MARK: The connection's side

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
  /// Between two times that a server is asked to give up.
  static let cancelPause: Duration = .milliseconds(100)
}

extension Statement {
  /// Whether its text names nothing that writes. `FOR UPDATE` counts as writing: rather one too few.
  var onlyReads: Bool {
    !["INSERT", "UPDATE", "DELETE"].contains { sql.utf8.contains($0.utf8) }
  }
}

/// libpq's permission to cancel what one session runs.
@safe
final class CancelKey: Sendable {
  /// Ours alone until `deinit`. libpq only reads it, so any thread may use it.
  private nonisolated(unsafe) let handle: OpaquePointer

  init(owning handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  deinit {
    unsafe PQfreeCancel(handle)
  }

  /// Whether it came too late nobody can know: failures are not told.
  func ask() {
    var message = [CChar](repeating: 0, count: 256)
    // Safe: the buffer lives through the call, which writes at most its length.
    _ = unsafe PQcancel(handle, &message, Int32(message.count))
  }
}
