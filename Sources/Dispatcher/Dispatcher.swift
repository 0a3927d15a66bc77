internal import Postgres
package import Reactor
internal import Logging
internal import Store
internal import Synchronization

/// Sends what has been accepted: plans audiences, claims devices batch by batch, hands them to push networks, writes
/// down how each ended, and tries again what may succeed later.
///
/// ```
///               plan                claim                      provider                complete
///   message ──► shards ──► claim + block + cursor + badge ─► batch ──► results ──► states, outcome rows, totals
///   (committed) (committed)  (one commit, before any         │          │         (one commit a batch)
///                             of it is sent)                 │          └─ try again: binding read anew
///                                                            ▼
///                                                      Apple or Google
/// ```
///
/// **Life of a delivery**
///
/// ```
///   in a shard ──► claimed ──► submitted ──► accepted | rejected | expired | skipped        final, first one wins
///                     ▲            │
///                     │            ├─ not processed ─► submitted again, free
///                     │            ├─ unknown ──────► counted, then submitted again (or skipped, as asked)
///                     │            ├─ bad token ────► asked about in the other environment, once
///                     │            ├─ device busy ──► everything for this device waits, and only that
///                     │            └─ try later ────► in memory up to 30 s, else a deferred row
///                     └──────────────── due ─────────────────┘
/// ```
///
/// **Invariants.** Nothing is submitted before its claim is committed. A claim names a block (`Blocks`) or lists its devices;
/// it is deleted in the transaction that writes the last of their outcomes. So after a crash the claims of a dead node are
/// exactly the devices in doubt, and whoever takes one over knows which of them have no outcome. Totals grow only by what was
/// really written. Outcomes are written at most once per (message, device): the first final one stands.
///
/// **Tokens.** What an answer means for a device is decided by a table (`TokenAssessment`) and by the device's row as it is when
/// the outcome is written (`TokenFinding`). A refused token puts its device aside, nothing is deleted; a flood of refusals
/// is a wrong setting of ours, so the breaker pauses the app and undoes what the flood did (`CircuitBreaker`, `TokenMaintenance`,
/// `GiveBack`). Deliveries of a paused app wait in the database; other apps go on.
///
/// **Leases.** A node is alive as long as it renews its row in `nodes`, by the database's clock. A node that cannot
/// renew stops claiming and submitting before its lease ends, for then others may take its claims. A node whose own clock
/// is far from the database's takes none (`DatabaseClock`).
///
/// **Control.** Pause, cancel, pace and canary are rows in the database, looked at within every claim (`ClaimAllowance`) and before
/// every repeated submission (`Resubmission`). So a change holds for all that is read after its commit, and what was read
/// before leaves within half a second or not at all. `ControlWorker` hears the announcement and brings home what waits.
///
/// **Fairness.** Lanes in order, each leaving room in the window for those before it; within a lane every message the same
/// share (`FairShare`).
///
/// **Fencing.** A node that was frozen past its lease believes that its claims are still its own. So a claim is known by
/// number and fence, and everything but a network's answer is written only while the claim is locked and still held
/// (`Decisions`); before a repeated submission it is asked for too (`Resubmission`).
///
/// **Threads.** A `LaneWorkers` of `plan`, `claim` and `complete` for the urgent lane and one for the rest, besides `janitor`,
/// `history`, `fold`, `control` and `badge`, each with a connection of its own. If the database goes away they try again once a second;
/// results wait in memory, bounded by the window.
package final class Dispatcher {
  let shared: Shared
  /// Those that offer to the providers, and those that are needed until every answer is written.
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

  /// Says that a message has been committed, so that nobody waits for the next poll. Callable from any thread.
  package var poke: @Sendable () -> Void {
    let wakeups = shared.laneWorkers.map(\.planWakeup)
    return { for wakeup in wakeups { wakeup.signal() } }
  }

  /// Stops claiming, waits for answers under way, hands back the rest and ends the lease.
  /// - Parameter claimingEnded: called when nothing more will be offered to the providers: the moment to stop them.
  package func stop(claimingEnded: () -> Void) {
    shared.stopping.give()
    for workers in shared.laneWorkers {
      workers.planWakeup.signal()
      workers.claimWakeup.signal()
      workers.completer.wakeup.signal()
    }
    shared.controlWakeup.signal()
    shared.historyCanceller.keepCancelling()
    defer { shared.historyCanceller.release() }
    // One time limit for all of them: several that hang must not add up.
    let deadline = shared.clock.now + Limits.drain + .seconds(2)
    for done in offering { wait(for: done, deadline) }
    claimingEnded()
    for done in writing { wait(for: done, deadline) }
    leave()
  }

  private func wait(for done: Inbox<Void>, _ deadline: Instant) {
    _ = done.receive(atMost: max(.zero, deadline - shared.clock.now))
  }

  /// Ends the lease when nothing is under way any more, so that whoever comes next need not wait for it to run out.
  private func leave() {
    do {
      try Connection(shared.configuration.databaseURL).run(Nodes.leave(shared.configuration.node))
    } catch {
      Logger(label: "dispatcher").warning("the lease runs out by itself", metadata: ["error": "\(error)"])
    }
  }

  /// Starts a thread; what it answers is told when it ends.
  private func run(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) -> Inbox<Void> {
    let done = try Inbox<Void>(capacity: 1)
    // The thread outlives this value: its end is told through the inbox.
    _ = try Thread(name: name) {
      body()
      _ = done.offer(())
    }
    return done
  }
}
