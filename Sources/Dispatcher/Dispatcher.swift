package import Domain
package import Postgres
package import Reactor
internal import Logging
internal import Store
internal import Synchronization

/// Sends what has been accepted: plans audiences, claims devices batch by batch, hands them to push networks, writes
/// down how each ended, and tries again what may succeed later.
///
/// ```
///               plan                claim                      provider                complete
///   message ──► shards ──► claim row + cursor + badge ──► batch ──► results ──► outcome rows + totals
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
///                     │            └─ try later ────► in memory up to 30 s, else a deferred row
///                     └──────────────── due ─────────────────┘
/// ```
///
/// **Invariants.** Nothing is submitted before its claim is committed. A claim row lists its devices; it is deleted in
/// the transaction that writes the last of their outcomes. So after a crash the claims of a dead node are exactly the
/// devices in doubt, and whoever takes one over knows which of them have no outcome. Totals grow only by rows that were
/// really written. Outcomes are written at most once per (message, device): the first final one stands.
///
/// **Leases.** A node is alive as long as it renews its row in `nodes`, by the database's clock. A node that cannot
/// renew stops claiming and submitting before its lease ends, for then others may take its claims.
///
/// **Control.** Pause, cancel, pace and canary are rows in the database, looked at within every claim (`Gate`) and before
/// every repeated submission (`Resubmission`). So a change holds for all that is read after its commit, and what was read
/// before leaves within half a second or not at all. `Overseer` hears the announcement and brings home what waits.
///
/// **Fairness.** Lanes in order, each leaving room in the window for those before it; within a lane every message the same
/// share (`Turns`).
///
/// **Threads.** `plan`, `claim`, `complete`, `janitor` and `control`, each with a connection of its own. If the database goes away
/// they try again once a second; results wait in memory, bounded by the window.
package final class Dispatcher {
  package enum Limits {
    /// Devices of one shard: small enough that the first is ready at once, large enough that a million make twenty.
    package static let shardDevices = 50_000
    /// Devices of one claim: one commit each, and what is in doubt after a crash.
    package static let claimDevices = 2_000
    /// Users of one claim that moves badges: their rows stay locked until it commits.
    package static let claimBadgeDevices = 500
    /// Entries of a list (users, devices, tokens) of one claim.
    package static let claimEntries = 500
    /// Devices under way at once on this node, waiting for their outcome.
    package static let windowDevices = 20_000
    /// How much of the window the messages of a lane, and all before it, may fill: the rest is kept for those.
    static func windowDevices(for lane: Lane) -> Int {
      switch lane {
      case .urgent: windowDevices
      case .normal: windowDevices * 9 / 10
      case .bulk: windowDevices * 8 / 10
      }
    }
    /// Messages that are looked at when the next claim is chosen: as many as share the sending at once.
    package static let waitingMessages = 512
    /// Claims between two looks at what waits: a tenth of a second or so.
    package static let turnsPerLook = 8
    /// Messages that are paused or being cancelled, looked at together.
    package static let heldMessages = 1_000
    /// How often changes are looked for that nobody announced.
    package static let controlInterval: Duration = .milliseconds(250)
    /// Deferred deliveries taken up at once.
    package static let dueDevices = 2_000
    /// Length of a node's lease, in seconds of the database's clock.
    package static let leaseSeconds: Int32 = 10
    /// How long after a renewal we still trust it: less than the lease, for the renewal took time to arrive.
    package static let leaseTrust: Duration = .seconds(7)
    package static let heartbeat: Duration = .seconds(1)
    /// How often the database is asked for work that nobody announced.
    package static let pollInterval: Duration = .milliseconds(200)
    /// Pause after the database failed us.
    package static let databasePause: Duration = .seconds(1)
    /// Pause before submitting again what was not processed, so that a refusing network is not asked in a circle.
    package static let notProcessedPause: Duration = .milliseconds(100)
    /// How long a delivery is put aside when the credential is at fault, in seconds.
    package static let credentialFaultSeconds: Int64 = 60
    /// Outcomes written in one transaction.
    package static let outcomesPerCommit = 4_000
    /// Results that may wait for `complete`. The window bounds them long before.
    package static let waitingResults = 1_000_000
    /// How long a stop waits for answers that are under way.
    package static let drain: Duration = .seconds(8)
  }

  package struct Configuration: Sendable {
    package let databaseURL: String
    package let node: UUIDValue
    /// This node's numbers in the totals start here.
    package let firstWriter: Int32
    package let pushkeys: PushKeyring
    /// By network; a network without provider keeps its messages until there is one.
    package let providers: [PushNetwork: any PushProvider]

    package init(
      databaseURL: String, node: UUIDValue, firstWriter: Int32, pushkeys: PushKeyring,
      providers: [PushNetwork: any PushProvider]
    ) {
      self.databaseURL = databaseURL
      self.node = node
      self.firstWriter = firstWriter
      self.pushkeys = pushkeys
      self.providers = providers
    }
  }

  private let shared: Shared
  private var threads: [(name: String, done: Inbox<Void>)] = []

  package init(_ configuration: Configuration, results: ResultInbox) throws(SystemError) {
    shared = try Shared(configuration, completer: results.inbox)
  }

  /// Starts the threads.
  package func start() throws(SystemError) {
    let shared = shared
    try run("plan") { Planner(shared).run() }
    try run("claim") { Claimer(shared).run() }
    try run("complete") { Completer(shared).run() }
    try run("janitor") { Janitor(shared).run() }
    try run("control") { Overseer(shared).run() }
  }

  /// Says that a message has been committed, so that nobody waits for the next poll. Callable from any thread.
  package var poke: @Sendable () -> Void {
    let wakeup = shared.planWakeup
    return { wakeup.signal() }
  }

  /// Stops claiming, waits for answers under way, hands back the rest and ends the lease.
  /// - Parameter claimingEnded: called when nothing more will be offered to the providers: the moment to stop them.
  package func stop(claimingEnded: () -> Void) {
    shared.stopRequested.store(true, ordering: .sequentiallyConsistent)
    shared.planWakeup.signal()
    shared.claimWakeup.signal()
    shared.controlWakeup.signal()
    shared.completer.wakeup.signal()
    for thread in threads where ["plan", "claim", "control"].contains(thread.name) { wait(for: thread.done) }
    claimingEnded()
    for thread in threads where thread.name == "complete" || thread.name == "janitor" { wait(for: thread.done) }
    leave()
  }

  private func wait(for done: Inbox<Void>) {
    _ = done.receive(atMost: Dispatcher.Limits.drain + .seconds(2))
  }

  /// Ends the lease when nothing is under way any more, so that whoever comes next need not wait for it to run out.
  private func leave() {
    do {
      try Connection(shared.configuration.databaseURL).run(Nodes.leave(shared.configuration.node))
    } catch {
      Logger(label: "dispatcher").warning("the lease runs out by itself", metadata: ["error": "\(error)"])
    }
  }

  private func run(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let done = try Inbox<Void>(capacity: 1)
    // The thread outlives this value: its end is told through the inbox.
    _ = try Thread(name: name) {
      body()
      _ = done.offer(())
    }
    threads.append((name, done))
  }
}

/// Where providers put their results; made before the providers, given to both sides.
package struct ResultInbox: Sendable {
  let inbox: Inbox<CompleterInput>

  package init() throws(SystemError) {
    inbox = try Inbox(capacity: Dispatcher.Limits.waitingResults)
  }

  package var sink: PushResultSink {
    let inbox = inbox
    return { results in
      // The window keeps what is under way far below the capacity: a refusal would be our own mistake.
      precondition(inbox.offer(.results(results)) || inbox.isClosed, "more results than were ever submitted")
    }
  }
}
