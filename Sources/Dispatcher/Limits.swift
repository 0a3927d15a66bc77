internal import Domain

/// Every limit of the dispatcher, with unit, reason and source.
enum Limits {
  /// Devices per shard: small enough that the first shard is ready at once, large enough that a million devices make
  /// twenty.
  static let shardDevices = 50_000
  /// Devices per claim: one commit each, and what a crash leaves in doubt. A claim that moves badges locks its users'
  /// rows until it commits.
  static let claimDevices = 2_000
  /// Devices counted at most when a shard has outgrown its plan; the approver is shown at least this many.
  static let recountedDevices = 100_000
  /// Maximum difference of two nodes' clocks, and delay of a registration's commit, in microseconds (a minute).
  static let bindingDoubtMicroseconds: Int64 = 60_000_000
  /// Maximum age of a claim's reads when it is handed to a network. With the half second that it may wait there
  /// (`PushBatch.freshNanoseconds`) this stays below the second within which a pause or a logout takes effect.
  static let claimAge: Duration = .milliseconds(400)
  /// List entries (users, devices, tokens) per claim.
  static let claimEntries = 500
  /// Maximum devices in flight on this node.
  static let windowDevices = 20_000
  /// Minimum number of first outcomes to write by COPY: with fewer, preparing it costs more than it saves.
  static let copiedDecisions = 128
  /// Minimum number of ledger entries of a claim to write by COPY.
  static let copiedClaims = 128
  /// How much of the window a lane may fill together with the lanes before it; the rest is reserved for those.
  static func windowDevices(for lane: Lane) -> Int {
    switch lane {
    case .urgent: windowDevices
    case .normal: windowDevices * 9 / 10
    case .bulk: windowDevices * 8 / 10
    }
  }
  /// Messages considered when the next claim is chosen: this many can share the sending at once.
  static let waitingMessages = 512
  /// How long claims go by one scan of the waiting messages. A scan takes a hundredth of a second when thousands wait.
  static let claimRound: Duration = .milliseconds(100)
  /// The same when something new has arrived, which may be more urgent.
  static let shortClaimRound: Duration = .milliseconds(25)
  /// Messages considered per planning turn.
  static let plansPerLook = 64
  /// Maximum recipients of short lists planned in one commit.
  static let plannedEntries = 2_000
  /// Messages of other audiences of which a shard is planned between two scans for new messages.
  static let partsPerLook = 8
  /// Paused or cancelling messages read together.
  static let heldMessages = 1_000
  /// Poll interval for changes that nobody announced.
  static let controlInterval: Duration = .milliseconds(250)
  /// The same while no message is open.
  static let quietControlInterval: Duration = .seconds(1)
  /// Devices of single sends admitted beyond the window.
  static let sendDevices = 20_000
  /// Pause after an empty scan for due and orphaned deliveries: a tenth of a poll.
  static let takingUpInterval: Duration = .milliseconds(20)
  /// Maximum deferred deliveries picked up at once.
  static let dueDevices = 2_000
  /// Rows of waiting blocks read together: more than a node has blocks in flight.
  static let dueBlocks = 1_000
  /// Claims of dead nodes adopted at once: single sends have one each.
  static let adoptedClaims = 200
  /// Interval of full scans over held deferred deliveries, in microseconds: some holds end by themselves.
  static let heldLookMicroseconds: Int64 = 10_000_000
  /// A full scan is followed by a rest of at least this many times its duration.
  static let heldLookRest: Int64 = 100
  /// How long before a scan a row can be due and still not be committed, in microseconds.
  static let heldMarginMicroseconds: Int64 = 3_000_000
  /// A node's lease, in seconds of the database's clock.
  static let leaseSeconds: Int32 = 10
  /// How long we trust a renewal: less than the lease, since the renewal took time to arrive.
  static let leaseTrust: Duration = .seconds(7)
  static let heartbeat: Duration = .seconds(1)
  /// Heartbeats between two prunings of what messages long over have left.
  static let beatsPerPruning = 600
  /// Rows of each kind removed at once.
  static let prunedRows = 10_000
  /// Devices examined together when the grace period of a stricter identity model is over.
  static let gracedDevicesAtOnce = 10_000
  /// Poll interval for work that nobody announced.
  static let pollInterval: Duration = .milliseconds(200)
  /// After this long without an answer a probe checks whether the database answers at all: as long as a lease.
  static let silence: Duration = .seconds(10)
  /// Pause after a database failure.
  static let databasePause: Duration = .seconds(1)
  /// Pause before resubmitting what was not processed, so that a refusing network is not polled in a tight loop.
  static let notProcessedPause: Duration = .milliseconds(100)
  /// Upper bound of that pause while nothing is answered: what an outage adds to the first delivery after it.
  static let longestStandstillPause: Duration = .seconds(2)
  static let longestUrgentStandstillPause: Duration = .milliseconds(400)
  /// How long deliveries may go stale between reading and submission before that is reported.
  static let circleComplaint: Duration = .seconds(5)
  /// How long a delivery is deferred when the credential is at fault, in seconds. Its app is paused, so this only
  /// counts once it is resumed.
  static let credentialFaultSeconds: Int64 = 5
  /// How long after a new credential was stored an answer may still concern the old one, in seconds: every node has the
  /// new one within a second.
  static let credentialGraceSeconds: Int64 = 2
  /// Answers of a route that the circuit breaker considers.
  static let breakerAnswers = 200
  /// Minimum refusals for the breaker to open: a handful of dead devices is no flood.
  static let breakerLeastRefusals = 100
  /// When the breaker opens, quarantines of this last period on the route, by any node, are undone too, in seconds.
  /// Devices that were quarantined rightly will be again.
  static let floodSeconds: Int64 = 60
  /// How long the other environment may be unreachable (a firewall, perhaps) before a refusal stands without its
  /// answer: deliveries that wait for it take room from others. Counted from when the refused binding was read.
  static let question: Duration = .seconds(30)
  /// First back-off of a device called busy, in seconds; doubles with each complaint. Apple gives no number.
  static let backOffSeconds: Int64 = 2
  static let longestBackOffSeconds: Int64 = 900
  /// Cap on any delay that a network asks for: as long as Apple would keep a push, 30 days, in seconds.
  static let longestWaitSeconds: Int64 = 30 * 86_400
  /// Devices whose back-off is remembered: about 10 MB.
  static let backOffDevices = 100_000
  /// Outcomes written in one transaction.
  static let outcomesPerCommit = 4_000
  /// How long an ended delivery waits for the rest of its block, so that one write covers them. A crash also leaves in
  /// doubt what was answered in this time.
  static let blockTimeout: Duration = .milliseconds(200)
  /// Maximum results waiting for `complete`. The window bounds them long before.
  static let waitingResults = 1_000_000
  /// How long a stop waits for answers in flight.
  static let drain: Duration = .seconds(8)
  /// Poll interval for users whose other devices are due a new count.
  static let badgeInterval: Duration = .milliseconds(200)
  /// Users taken at once, and the number in flight above which no more are taken.
  static let badgeUsers = 500
  /// When a user's devices that have not all answered are sent the count again, in microseconds.
  static let badgeAgainMicroseconds: Int64 = 15_000_000
  /// Tries before a user is left to the next change of the count.
  static let badgeAttempts: Int16 = 5
  /// Timeout for an answer: longer than any push network takes.
  static let badgeTimeout: Duration = .seconds(60)
  /// How long a network keeps a count for an offline device, in seconds: a day, the default of messages.
  static let badgeExpirySeconds: Int64 = 86_400
  /// Maximum results that wait: those of some hundred users with a few devices each.
  static let badgeResults = 16_384
  /// Pages and media that the janitor deletes per turn: a film has 200 parts.
  static let prunedFilesAtOnce = 50
  /// Messages that the janitor examines per turn, to close those that are done.
  static let finishedAtOnce = 1_000
  /// Minimum devices in the canary that replaces one in which nobody was reachable.
  static let replacedCanaryDevices: Int64 = 1_000
}
