internal import Domain

/// Limits of the dispatcher.
enum Limits {
  /// Approximate number of devices per shard: small enough that the first shard is planned quickly, large enough that a
  /// million devices make only twenty. If the audience consists of groups or an uploaded file, a shard is a tenth as
  /// many users; a list in the request is one shard.
  static let shardDevices = 50_000
  /// Maximum number of devices per claim, which is one commit; exceeded only if a single user has more. After a crash,
  /// those devices of an open claim whose outcome is not recorded are in doubt. A claim that increments badges locks
  /// its users' rows until it commits.
  static let claimDevices = 2_000
  /// Maximum number of remaining devices that are counted when a shard has more devices than planned. If more are left,
  /// the approver sees too low a number.
  static let recountedDevices = 100_000
  /// Tolerance for clock differences between nodes and for slow registrations: devices bound to their user less than a
  /// minute before the audience was frozen are checked for an earlier claim.
  static let bindingDoubt: Duration = .seconds(60)
  /// Maximum age of a claim's data when it is offered to a push network. Together with the half second that it may wait
  /// there (`PushBatch.freshNanoseconds`), a pause or logout takes effect within a second.
  static let claimAge: Duration = .milliseconds(400)
  /// Maximum recipients per claim, if the request lists them as users, devices or tokens.
  static let claimEntries = 500
  /// Number of devices in flight on this node at which it claims no more. The claim that reaches it and single sends
  /// (`sendDevices`) can exceed it.
  static let windowDevices = 20_000
  /// Minimum number of first outcomes to write by COPY; below that, its set-up costs more than it saves.
  static let copiedDecisions = 128
  /// Minimum number of ledger entries of a claim to write by COPY.
  static let copiedClaims = 128
  /// Returns the number of devices in flight, of all lanes together, at which a lane must not add more. The rest of the
  /// window is reserved for more urgent lanes.
  static func windowDevices(for lane: Lane) -> Int {
    switch lane {
    case .urgent: windowDevices
    case .normal: windowDevices * 9 / 10
    case .bulk: windowDevices * 8 / 10
    }
  }
  /// Maximum messages considered when the next claim is chosen, and hence the maximum that can be sent concurrently.
  static let waitingMessages = 512
  /// Maximum time for which claims are chosen from one scan of the waiting messages. A scan takes 10 ms if thousands
  /// wait.
  static let claimRound: Duration = .milliseconds(100)
  /// Same as `claimRound`, after the claimer was woken: there may be a new, more urgent message.
  static let shortClaimRound: Duration = .milliseconds(25)
  /// Maximum messages considered per iteration of the planner.
  static let plansPerLook = 64
  /// Maximum recipients planned in one commit, for messages that list their recipients. A message that lists more has a
  /// commit of its own.
  static let plannedEntries = 2_000
  /// Maximum campaigns and messages sent by a person of which a shard is planned between two scans for new messages.
  static let partsPerLook = 8
  /// Maximum number of paused and cancelling messages, together, that one query reads.
  static let heldMessages = 1_000
  /// Maximum time per turn of `control` for ending the deferred deliveries of cancelled messages, or of late ones.
  static let endingTurn: Duration = .milliseconds(500)
  /// Interval at which `control` polls for changes whose announcement it missed.
  static let controlInterval: Duration = .milliseconds(250)
  /// Same as `controlInterval`, while no message is open, paused or being cancelled. The interval is shorter if a
  /// scheduled message is due sooner.
  static let quietControlInterval: Duration = .seconds(1)
  /// Number of in-flight devices of single sends admitted in addition to the window.
  static let sendDevices = 20_000
  /// Pause before the next scan for due and orphaned deliveries if the last one found none: a tenth of `pollInterval`.
  static let takingUpInterval: Duration = .milliseconds(20)
  /// Maximum deferred deliveries with rows of their own that are claimed per scan, and number of deferred block
  /// deliveries after which a scan claims no further block.
  static let dueDevices = 2_000
  /// Maximum rows of deferred block deliveries read per scan: more than a node has blocks in flight.
  static let dueBlocks = 1_000
  /// Maximum claims of dead nodes adopted at once. Each single send is a claim of its own, so they can be many.
  static let adoptedClaims = 200
  /// Time after which a scan for due deliveries again includes those held by a pause, because some holds end without an
  /// announcement. When an app or message is resumed, the next scan includes them at once.
  static let heldLookInterval: Duration = .seconds(10)
  /// Shortest time between two such scans, as a multiple of the last one's duration; at least `heldLookInterval`.
  static let heldLookRest: Int64 = 100
  /// Maximum time from when a deferred delivery is due until its row becomes visible, because the row's transaction
  /// commits late.
  static let heldMargin: Duration = .seconds(3)
  /// Duration of a node's lease, in seconds of the database's clock.
  static let leaseSeconds: Int32 = 10
  /// How long a node relies on a lease renewal: less than the lease, because the renewal took time to arrive.
  static let leaseTrust: Duration = .seconds(7)
  /// Interval at which a node renews its lease.
  static let heartbeat: Duration = .seconds(1)
  /// Maximum rows of each kind removed by one statement.
  static let prunedRows = 10_000
  /// Maximum devices examined in one step when the grace period of a stricter identity model has ended.
  static let gracedDevicesAtOnce = 10_000
  /// Shortest poll interval for work whose announcement was missed; a second or more after a while without work
  /// (`PollBackoff`).
  static let pollInterval: Duration = .milliseconds(200)
  /// After this long without a response, a probe checks whether the database responds at all. Equal to a lease.
  static let silence: Duration = .seconds(10)
  /// Pause after a database failure, before the next attempt.
  static let databasePause: Duration = .seconds(1)
  /// Minimum pause before resubmitting unprocessed deliveries, so that a network that refuses is not retried in a tight
  /// loop.
  static let notProcessedPause: Duration = .milliseconds(100)
  /// Maximum pause before unprocessed or stale deliveries are resubmitted. The pause grows during an outage, so sending
  /// can resume this much later than the network.
  static let longestStandstillPause: Duration = .seconds(2)
  /// Same as `longestStandstillPause`, for the urgent lane.
  static let longestUrgentStandstillPause: Duration = .milliseconds(400)
  /// Time without a returned delivery after which a route's outage counts as over although the network has not
  /// answered, because its messages may have expired or been paused. Longer than the pauses between retries.
  static let standstillGap: Duration = .seconds(5)
  /// Time for which a route must have returned its deliveries without an answer before they are deferred, if they
  /// occupy too much of the window.
  static let outageDeferral: Duration = .seconds(5)
  /// Maximum time by which such a delivery is deferred, and by which it may leave later than the network is back.
  static let longestOutageDeferral: Duration = .seconds(300)
  /// Same as `longestOutageDeferral`, for the urgent lane.
  static let longestUrgentOutageDeferral: Duration = .seconds(10)
  /// Time for which a route's deliveries must keep becoming stale before submission until that is reported. The report
  /// ends when the network answers, or when none has become stale for `standstillGap`.
  static let circleComplaint: Duration = .seconds(5)
  /// Seconds by which a delivery is deferred if the app's credential is missing or at fault. The app is paused, so the
  /// delay matters only after it is resumed, or if the node has yet to read a credential that is stored.
  static let credentialFaultSeconds: Int64 = 5
  /// Seconds that a credential may take from its time of storing until others can read it, and by which a node's idea
  /// of the database's time may be wrong: what is stored that late before a node reads the credentials may escape it.
  static let credentialGraceSeconds: Int64 = 2
  /// Maximum number of recent answers per route that the circuit breaker considers.
  static let breakerAnswers = 200
  /// Minimum number of refusals among the considered answers to open the breaker: a few dead devices are normal. They
  /// must also be at least half of these answers.
  static let breakerLeastRefusals = 100
  /// When the breaker opens, quarantines that any node made on the route within this many seconds before, or since the
  /// oldest refusal considered if that is earlier, are undone. Devices that were quarantined rightly will be
  /// quarantined again.
  static let floodSeconds: Int64 = 60
  /// Time for which the other environment is asked about a refused token if it cannot be reached (because of a
  /// firewall, for example), measured from when the token was read. Deliveries awaiting verification occupy the window.
  static let question: Duration = .seconds(30)
  /// First back-off of a busy device, in seconds. It doubles with each report after the previous back-off has ended.
  /// Apple documents no number.
  static let backOffSeconds: Int64 = 2
  /// Maximum back-off of a busy device, in seconds, before jitter and unless the network requests a longer one.
  static let longestBackOffSeconds: Int64 = 900
  /// Maximum accepted delay requested by a network, in seconds: 30 days, as long as Apple stores a push.
  static let longestWaitSeconds: Int64 = 30 * 86_400
  /// Maximum number of devices whose back-off is remembered: about 10 MB. If more are busy, all are forgotten.
  static let backOffDevices = 100_000
  /// Maximum time that an answered delivery waits for the rest of its block, so that one write covers them. After a
  /// crash, the outcomes of the deliveries that were waiting are unknown.
  static let blockTimeout: Duration = .milliseconds(200)
  /// Capacity of a completer's inbox. The window keeps it far below.
  static let waitingResults = 1_000_000
  /// Maximum time that a stop waits for answers in flight.
  static let drain: Duration = .seconds(8)
  /// Shortest poll interval for users whose other devices are due to receive a new count; a second or more after a
  /// while without any (`PollBackoff`).
  static let badgeInterval: Duration = .milliseconds(200)
  /// Maximum users claimed at once, and number of users in flight at which no more are claimed.
  static let badgeUsers = 500
  /// Maximum devices of one user that are sent the count, far more than a person has. An account that many people share
  /// would otherwise fill `badgeResults` by itself: the lost results would have the count sent again and again.
  static let badgeDevices = 1_000
  /// Time after which the count is sent again to a user whose pushes were lost or have failed temporarily.
  static let badgeAgainInterval: Duration = .seconds(15)
  /// Maximum attempts per user and change of the count; after that, the devices wait for the next change.
  static let badgeAttempts: Int16 = 5
  /// Interval between looks at a count whose app is paused. It is sent at most this long after the app is resumed.
  static let badgePauseInterval: Duration = .seconds(300)
  /// Timeout for an answer to a badge push: longer than that of any push network.
  static let badgeTimeout: Duration = .seconds(60)
  /// Expiry of a badge push for an offline device, in seconds: a day, the default of messages.
  static let badgeExpirySeconds: Int64 = 86_400
  /// Capacity of the badge inbox: the results of several hundred users with a few devices each.
  static let badgeResults = 16_384
  /// Maximum pages and media that the janitor deletes per round of clean-up. Few, because each can have many parts: a
  /// film has 200.
  static let prunedFilesAtOnce = 50
  /// Maximum messages per lane that the janitor examines in one round, to complete those with nothing left to do.
  static let finishedAtOnce = 1_000
  /// Minimum number of devices in a new canary if no device of the previous one was reachable.
  static let replacedCanaryDevices: Int64 = 1_000
}
