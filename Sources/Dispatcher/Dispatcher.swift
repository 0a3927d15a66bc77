internal import Postgres
package import Reactor
internal import Logging
internal import Store
internal import Synchronization

/// Sends accepted messages: plans audiences, claims devices in batches, hands them to push networks, records how each
/// delivery ended, and retries what may succeed later.
///
/// ```
///               plan                claim                      provider                complete
///   message ──► shards ──► claim + block + cursor + badge ─► batch ──► results ──► states, outcome rows, totals
///   (committed) (committed)  (one commit, before any         │          │         (one commit a batch)
///                             of it is sent)                 │          └─ retry: binding re-read
///                                                            ▼
///                                                      Apple or Google
/// ```
///
/// **Life of a delivery**
///
/// ```
///   in a shard ──► claimed ──► submitted ──► accepted | rejected | expired | skipped        final, first one wins
///                     ▲            │
///                     │            ├─ not processed ─► resubmitted, not counted as a try
///                     │            ├─ unknown ──────► counted, then resubmitted (or skipped, as requested)
///                     │            ├─ bad token ────► the other environment is asked, once
///                     │            ├─ device busy ──► everything for this device waits, and only that
///                     │            └─ try later ────► in memory up to 30 s, else a deferred row
///                     └──────────────── due ─────────────────┘
/// ```
///
/// **Invariants.** Nothing is submitted before its claim is committed. A claim names a block (`Blocks`) or lists its
/// devices; it is deleted in the transaction that writes the last of their outcomes. So after a crash the claims of a
/// dead node are exactly the devices in doubt, and the node that adopts one knows which of them have no outcome. Totals
/// grow only by what was really written. Outcomes are written at most once per (message, device): the first final one
/// wins.
///
/// **Tokens.** What an answer means for a device is decided by a table (`TokenAssessment`) and by the device's row at
/// the time the outcome is written (`TokenFinding`). A refused token quarantines its device; nothing is deleted. A
/// flood of refusals is a configuration fault of ours, so the circuit breaker pauses the app and undoes what the flood
/// did (`CircuitBreaker`, `TokenMaintenance`, `GiveBack`). Deliveries of a paused app wait in the database; other apps
/// continue.
///
/// **Leases.** A node is alive as long as it renews its row in `nodes`, by the database's clock. A node that cannot
/// renew stops claiming and submitting before its lease ends, since other nodes may then adopt its claims. A node whose
/// own clock is far from the database's takes no lease (`DatabaseClock`).
///
/// **Control.** Pause, cancel, pace and canary are rows in the database, read within every claim (`ClaimAllowance`) and
/// before every resubmission (`Resubmission`). So a change applies to all that is read after its commit; what was read
/// before leaves within half a second or not at all. `ControlWorker` hears the announcement and recalls the retries
/// that wait in memory.
///
/// **Fairness.** Lanes in order, each leaving room in the window for those before it; within a lane every message gets
/// the same share (`FairShare`).
///
/// **Fencing.** A node that was frozen past its lease believes that it still holds its claims. So a claim is identified
/// by number and fence, and everything but a network's answer is written only while the claim is locked and still held
/// (`Decisions`); a resubmission checks it first (`Resubmission`).
///
/// **Threads.** One `LaneWorkers` of `plan`, `claim` and `complete` for the urgent lane and one for the rest, besides
/// `janitor`, `history`, `fold`, `control` and `badge`, each with its own connection. If the database goes away they
/// retry once a second; results wait in memory, bounded by the window.
///
/// Decision 049.
package final class Dispatcher {
  let shared: Shared
  /// Inboxes that signal the end of threads: of those that offer batches to providers, and of those that write the
  /// answers.
  private var offering: [Inbox<Void>] = []
  private var writing: [Inbox<Void>] = []

  package init(_ configuration: DispatcherConfiguration, results: ResultInbox) throws(SystemError) {
    shared = try Shared(configuration, results: results)
  }

  /// Starts the threads.
  package func start() throws(SystemError) {
    let shared = shared
    for workers in shared.laneWorkers {
      offering.append(try run(workers.threadName("plan")) { Planner(shared, workers).run() })
      offering.append(try run(workers.threadName("claim")) { Claimer(shared, workers).run() })
      writing.append(try run(workers.threadName("complete")) { Completer(shared, workers).run() })
    }
    writing.append(try run("janitor") { Janitor(shared).run() })
    writing.append(try run("history") { RetentionWorker.run(shared) })
    writing.append(try run("fold") { FoldWorker(shared).run() })
    offering.append(try run("control") { ControlWorker(shared).run() })
    offering.append(try run("badge") { BadgeSender(shared).run() })
  }

  /// Announces a committed message, so that planning it need not wait for the next poll. Callable from any thread.
  package var poke: @Sendable () -> Void {
    let wakeups = shared.laneWorkers.map(\.planWakeup)
    return { for wakeup in wakeups { wakeup.signal() } }
  }

  /// Stops claiming, waits for answers in flight, defers the rest and ends the lease.
  /// - Parameter claimingEnded: called once nothing more will be offered to the providers, so that they can be stopped.
  package func stop(claimingEnded: () -> Void) {
    shared.stopping.raise()
    for workers in shared.laneWorkers {
      workers.planWakeup.signal()
      workers.claimWakeup.signal()
      workers.completer.wakeup.signal()
    }
    shared.controlWakeup.signal()
    shared.historyCanceller.keepCancelling()
    defer { shared.historyCanceller.release() }
    // All threads share one deadline, so that the waits for several hanging threads do not add up.
    let deadline = shared.clock.now + Limits.drain + .seconds(2)
    for done in offering { wait(for: done, deadline) }
    claimingEnded()
    for done in writing { wait(for: done, deadline) }
    leave()
  }

  private func wait(for done: Inbox<Void>, _ deadline: Instant) {
    _ = done.receive(atMost: max(.zero, deadline - shared.clock.now))
  }

  /// Ends the lease once nothing is in flight, so that other nodes need not wait for it to expire.
  private func leave() {
    do {
      try Connection(shared.configuration.databaseURL).run(Nodes.leave(shared.configuration.node))
    } catch {
      Logger(label: "dispatcher").warning(
        "the lease runs out by itself", metadata: FailureDetails.of(error).mapValues { "\($0)" })
    }
  }

  /// Starts a thread. Returns an inbox that signals its end.
  private func run(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) -> Inbox<Void> {
    let done = try Inbox<Void>(capacity: 1)
    // The thread may outlive this handle; the inbox reports its end.
    _ = try Thread(name: name) {
      body()
      _ = done.offer(())
    }
    return done
  }
}
