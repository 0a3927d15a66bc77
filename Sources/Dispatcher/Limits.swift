internal import Domain

/// Every number of the dispatcher: unit, reason, source.
enum Limits {
  /// Devices of one shard: small enough that the first is ready at once, large enough that a million make twenty.
  static let shardDevices = 50_000
  /// Devices of one claim: one commit each, and what is in doubt after a crash. A claim that moves badges keeps its users' rows
  /// locked until it commits.
  static let claimDevices = 2_000
  /// Devices that are counted when more of a shard is there than was planned: a second person sees at least so many.
  static let recountedDevices = 100_000
  /// How far two nodes' clocks may be apart, and how late a registration may be committed, in microseconds (a minute).
  static let bindingDoubtMicroseconds: Int64 = 60_000_000
  /// Maximum age of a claim's reads when it is handed to a network. With the half second that it may wait there
  /// (`PushBatch.freshNanoseconds`) it stays below the second within which a pause or a logout takes effect.
  static let claimAge: Duration = .milliseconds(400)
  /// Entries of a list (users, devices, tokens) of one claim.
  static let claimEntries = 500
  /// Devices under way at once on this node, waiting for their outcome.
  static let windowDevices = 20_000
  /// First outcomes that are worth a COPY: with fewer, preparing it costs more than it saves.
  static let copiedDecisions = 128
  /// Users of a claim whose entries in the ledger are worth a COPY.
  static let copiedClaims = 128
  /// How much of the window the messages of a lane, and all before it, may fill: the rest is kept for those.
  static func windowDevices(for lane: Lane) -> Int {
    switch lane {
    case .urgent: windowDevices
    case .normal: windowDevices * 9 / 10
    case .bulk: windowDevices * 8 / 10
    }
  }
  /// Messages that are looked at when the next claim is chosen: as many as share the sending at once.
  static let waitingMessages = 512
  /// How long claims go by one look at what waits. A look costs a hundredth of a second when thousands wait.
  static let claimRound: Duration = .milliseconds(100)
  /// The same when something new has come, which may be more urgent.
  static let shortClaimRound: Duration = .milliseconds(25)
  /// Messages that are looked at when the planner chooses.
  static let plansPerLook = 64
  /// Recipients of short lists whose messages are planned in one commit.
  static let plannedEntries = 2_000
  /// Messages of other audiences of which a shard is planned between two looks at what is new.
  static let partsPerLook = 8
  /// Messages that are paused or being cancelled, looked at together.
  static let heldMessages = 1_000
  /// How often changes are looked for that nobody announced.
  static let controlInterval: Duration = .milliseconds(250)
  /// The same while no message is open.
  static let quietControlInterval: Duration = .seconds(1)
  /// Devices of single sends beyond the window.
  static let sendDevices = 20_000
  /// How long what is due or was left behind is not looked for again when there was nothing: a tenth of a poll.
  static let takingUpInterval: Duration = .milliseconds(20)
  /// Deferred deliveries taken up at once.
  static let dueDevices = 2_000
  /// Rows of waiting blocks looked at together: more than a node has blocks under way.
  static let dueBlocks = 1_000
  /// Claims of dead nodes taken over at once: single sends have one each.
  static let adoptedClaims = 200
  /// How often deferred deliveries that were found held are looked at again, in microseconds: some end by themselves.
  static let heldLookMicroseconds: Int64 = 10_000_000
  /// Times that such a look took, until the next at the earliest.
  static let heldLookRest: Int64 = 100
  /// What is due so shortly before a look may not have been committed then, in microseconds.
  static let heldMarginMicroseconds: Int64 = 3_000_000
  /// Length of a node's lease, in seconds of the database's clock.
  static let leaseSeconds: Int32 = 10
  /// How long after a renewal we still trust it: less than the lease, for the renewal took time to arrive.
  static let leaseTrust: Duration = .seconds(7)
  static let heartbeat: Duration = .seconds(1)
  /// Heartbeats between two looks at what messages long over have left.
  static let beatsPerPruning = 600
  /// Rows of each kind removed at once.
  static let prunedRows = 10_000
  /// Devices that are looked at together when the grace of a stricter identity is over.
  static let gracedDevicesAtOnce = 10_000
  /// How often the database is asked for work that nobody announced.
  static let pollInterval: Duration = .milliseconds(200)
  /// After so long without an answer a probe checks whether the database answers at all: as long as a lease.
  static let silence: Duration = .seconds(10)
  /// Pause after the database failed us.
  static let databasePause: Duration = .seconds(1)
  /// Pause before submitting again what was not processed, so that a refusing network is not asked in a circle.
  static let notProcessedPause: Duration = .milliseconds(100)
  /// The same at most, when nothing at all is answered: what an outage adds to the first delivery after it.
  static let longestStandstillPause: Duration = .seconds(2)
  static let longestUrgentStandstillPause: Duration = .milliseconds(400)
  /// How long deliveries may be read and come back too old to be submitted before that is a complaint.
  static let circleComplaint: Duration = .seconds(5)
  /// How long a delivery is put aside when the credential is at fault, in seconds. Its app is paused, so this only
  /// counts once it is resumed.
  static let credentialFaultSeconds: Int64 = 5
  /// How long after a new credential was stored an answer may still have been given to the old one: every node has it
  /// within a second. In seconds.
  static let credentialGraceSeconds: Int64 = 2
  /// Answers of a route that the circuit breaker looks back on.
  static let breakerAnswers = 200
  /// It never opens for fewer refusals than these: a handful of dead devices is no flood.
  static let breakerLeastRefusals = 100
  /// When the breaker opens, what any node has put aside on the route in this time comes back too, in seconds: what was
  /// put aside rightly will be again.
  static let floodSeconds: Int64 = 60
  /// How long the other environment may be out of reach (a firewall, perhaps) before a refusal stands without its word:
  /// what waits for it takes room from others. Counted from when the refused binding was read.
  static let question: Duration = .seconds(30)
  /// First wait of a device that is called busy; doubles with each complaint. Apple gives no number. In seconds.
  static let backOffSeconds: Int64 = 2
  static let longestBackOffSeconds: Int64 = 900
  /// Whatever a network asks for, we wait no longer than Apple would keep a push: 30 days, in seconds.
  static let longestWaitSeconds: Int64 = 30 * 86_400
  /// Devices whose back-off is remembered: some 10 MB.
  static let backOffDevices = 100_000
  /// Outcomes written in one transaction.
  static let outcomesPerCommit = 4_000
  /// How long an ended delivery waits for the rest of its block, so that one write covers them. A crash leaves in doubt
  /// what was answered in this time, too.
  static let blockTimeout: Duration = .milliseconds(200)
  /// Results that may wait for `complete`. The window bounds them long before.
  static let waitingResults = 1_000_000
  /// How long a stop waits for answers that are under way.
  static let drain: Duration = .seconds(8)
  /// How often users are looked for whose other devices have to be told a count.
  static let badgeInterval: Duration = .milliseconds(200)
  /// Users told at once, and as many under way at most before more are taken.
  static let badgeUsers = 500
  /// After how long a user is told again whose devices have not all answered, in microseconds.
  static let badgeAgainMicroseconds: Int64 = 15_000_000
  /// Tries before it is left to the next count.
  static let badgeAttempts: Int16 = 5
  /// How long an answer is waited for: longer than any push network takes.
  static let badgeTimeout: Duration = .seconds(60)
  /// How long a network keeps a count for a device that is away, in seconds: a day, as a message by default.
  static let badgeExpirySeconds: Int64 = 86_400
  /// Answers that may wait; those of some hundred users, each with a few devices.
  static let badgeResults = 16_384
  /// Pages and media that the janitor deletes in one turn: a film has 200 parts.
  static let prunedFilesAtOnce = 50
  /// Messages that the janitor looks at in one turn, to close those that are done.
  static let finishedAtOnce = 1_000
  /// A canary of which nobody got anything is replaced by so many at least.
  static let replacedCanaryDevices: Int64 = 1_000
}
