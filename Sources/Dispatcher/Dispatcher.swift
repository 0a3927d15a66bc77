package import Domain
internal import Postgres
package import Reactor
internal import Logging
package import Store
internal import Synchronization

/// The part of a node that sends accepted messages: it plans audiences, claims devices in batches, hands them to push
/// networks, records how each delivery ended, and retries deliveries that can still succeed.
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
///                     │            ├─ not processed ─► resubmitted, not counted as a try; in an outage, a deferred row
///                     │            ├─ unknown ──────► counted, then resubmitted (or skipped, as requested)
///                     │            ├─ bad token ────► the other environment is asked, once
///                     │            ├─ device busy ──► everything for this device waits, and only that
///                     │            └─ try later ────► in memory up to 30 s, else a deferred row
///                     └──────────────── due ─────────────────┘
/// ```
///
/// **Invariants.** No delivery of a message is submitted before its claim is committed. A claim names a block
/// (`Blocks`) or lists its devices; it is deleted in the transaction that writes the last of their outcomes. So after a
/// crash every device in doubt is in a claim of the dead node, and the node that adopts the claim handles only those of
/// its devices that have no outcome. Totals count only outcomes that were written. At most one final outcome is written
/// per (message, device): the first wins.
///
/// **Tokens.** What an answer means for a device is decided by a table (`TokenAssessment`) and by the device's row at
/// the time the outcome is written (`TokenFinding`). A refused token quarantines its device; only a token that the
/// network reports as dead since a known time removes the device. A flood of refusals means that our configuration is
/// wrong, so the circuit breaker pauses the app and undoes what the flood did (`CircuitBreaker`, `TokenMaintenance`,
/// `RejectionReversal`). Deliveries of a paused app wait in the database; other apps continue.
///
/// **Leases.** A node is alive as long as it renews its row in `nodes`, by the database's clock. A node that cannot
/// renew stops claiming and submitting before its lease ends, since other nodes may then adopt its claims. A node whose
/// own clock is far from the database's acquires no lease (`DatabaseClock`).
///
/// **Control.** Pause, cancellation, pace and canary are rows in the database. Every claim from a shard reads them
/// (`ClaimAllowance`). Every claim of deliveries that were deferred until the morning, a send window or a retry reads
/// pause and pace. Every resubmission reads pause and cancellation (`Resubmission`). So a change applies to all
/// deliveries that are read after its commit; those read before it are submitted within a second (`Limits.claimAge`) or
/// read again.
/// `ControlWorker` receives the announcement and recalls the retries that wait in memory.
///
/// **Fairness.** More urgent lanes come first, and each lane leaves room in the in-flight window for the more urgent
/// ones. Within a lane, every message gets the same share (`FairShare`).
///
/// **Fencing.** A node that was frozen past its lease believes that it still holds its claims. So a claim is identified
/// by its number and its fence, a counter that grows with each adoption. Only the fact that a network has accepted or
/// rejected a push is written in any case, unless the rejection could be undone; every other decision is written only
/// while the claim is locked and still held (`Decisions`). A resubmission first checks that the claim is still held
/// (`Resubmission`).
///
/// **Threads.** One `LaneWorkers` of `plan`, `claim` and `complete` for the urgent lane, and one for the other lanes;
/// in addition `janitor`, `history`, `fold`, `control` and `badge`, each with its own connection. If the database is
/// unavailable, they retry once a second; results wait in memory, bounded by the window.
///
/// Decision 049.
package final class Dispatcher {
  let shared: Shared
  /// Inboxes that signal the end of threads; empty before `start`. `stop` waits first for `offering` (planners,
  /// claimers, `control` and `badge`), then for `writing` (completers, `janitor`, `history` and `fold`).
  private var offering: [Inbox<Void>] = []
  private var writing: [Inbox<Void>] = []

  package init(_ configuration: DispatcherConfiguration, results: ResultInbox) throws(SystemError) {
    shared = try Shared(configuration, results: results)
  }

  /// Starts all threads; to be called once. If it throws, the threads already started continue to run.
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

  /// A function that wakes all planners, so that a message just committed is planned without waiting for their next
  /// poll. Callable from any thread.
  package var poke: @Sendable () -> Void {
    let wakeups = shared.laneWorkers.map(\.planWakeup)
    return { for wakeup in wakeups { wakeup.signal() } }
  }

  // MARK: For the API and the health checks

  /// True if sends of a lane may be claimed in this node's name: the node is not stopping and has its lease, the
  /// in-flight window has room, and the lane has fewer than the maximum of open messages. Callable from any thread.
  package var takesSends: @Sendable (Lane) -> Bool {
    let shared = shared
    return { lane in
      !shared.isStopping && shared.holdsLease && shared.hasRoomForSends && !shared.isFull(lane)
    }
  }

  /// True while this node can claim and send: its lease has not ended, and the database's time is known well enough.
  /// Callable from any thread.
  package var holdsLease: @Sendable () -> Bool {
    let shared = shared
    return { shared.holdsLease }
  }

  /// True while deliveries repeatedly become stale between being read and being submitted, because the database is too
  /// slow or too far away. Callable from any thread.
  package var goesInCircle: @Sendable () -> Bool {
    let shared = shared
    return { shared.circles.load(ordering: .relaxed) != 0 }
  }

  /// Number of devices in flight: claimed by this node and neither finally answered nor deferred yet. Callable from any
  /// thread.
  package var underWay: @Sendable () -> Int {
    let shared = shared
    return { shared.underWay.load(ordering: .relaxed) }
  }

  /// Submits committed sends, without blocking: passes them to their providers, or to the completer if they cannot be
  /// sent at once. Callable from any thread.
  package var launch: @Sendable ([ClaimedSend]) -> Void {
    let (shared, log) = (shared, MessageLog(Logger(label: "launch")))
    return { sends in
      for send in sends { log.claimed(send.message.seqno, send.claim, devices: send.members.count) }
      shared.launch(sends)
    }
  }

  // MARK: Stopping

  /// Stops claiming, waits for the answers in flight, defers deliveries that wait for a retry, and ends this node's
  /// lease. Deliveries that are still unanswered stay in their claims, which other nodes adopt. Blocks until all
  /// threads have ended, for at most `Limits.drain` plus two seconds and the time that ending the lease takes.
  /// - Parameter claimingEnded: called on this thread when the threads that claim have ended or the deadline has
  ///   passed, so that the caller can stop the providers.
  package func stop(claimingEnded: () -> Void) {
    shared.stopping.raise()
    for workers in shared.laneWorkers {
      workers.planWakeup.signal()
      workers.claimWakeup.signal()
      workers.completer.wakeup.signal()
    }
    shared.controlWakeup.signal()
    let cancellers = [shared.historyCanceller, shared.foldCanceller]
    for canceller in cancellers { canceller.keepCancelling() }
    defer { for canceller in cancellers { canceller.release() } }
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

  /// Ends this node's lease in the database, so that other nodes need not wait for it to expire. If that fails, only
  /// logs a warning.
  private func leave() {
    do {
      try Connection(shared.configuration.databaseURL).run(Nodes.leave(shared.configuration.node))
    } catch {
      Logger(label: "dispatcher").warning(
        "the lease runs out by itself", metadata: FailureDetails.of(error).mapValues { "\($0)" })
    }
  }

  /// Starts a thread that runs `body`. Returns an inbox that receives one item when `body` has returned.
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
