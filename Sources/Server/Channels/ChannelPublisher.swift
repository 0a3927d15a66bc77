internal import APNs
internal import Crypto
internal import Domain
internal import Logging
internal import Metrics
internal import Postgres
internal import PushTransport
internal import Reactor
internal import Store
internal import Time

/// The thread `channels`: sends the latest update of each broadcast channel to APNs, at the rate that APNs accepts for
/// a channel.
///
/// ```
///   PUT stored in the table ──wake──► take the updates that are due ──► APNs sender ──answer──► settle: next due time
///                                       ▲ lease: another node takes over after a crash            │
///                                       └─────────── a newer version meanwhile ◄──────────────────┘
/// ```
/// An update whose publication has been acknowledged stays in the table until APNs has accepted it or a newer one.
/// Every node has a publisher; a channel's row is locked by one of them at a time.
final class ChannelPublisher: Sendable {
  /// Identifies this publisher as the recipient of results. The dispatcher's numbers are not negative.
  static let inbox = -1
  /// Seconds after which an update without an answer is considered lost and sent again. If it did arrive, devices
  /// ignore the second one.
  private static let leaseSeconds: Int64 = 10
  /// The number of updates in flight at which no more are taken.
  private static let underWay = 2_000
  /// Maximum number of updates taken in one step, which may exceed `underWay`.
  private static let atOnce = 500
  private static let longestRest: Duration = .seconds(1)
  private static let pause: Duration = .seconds(1)

  private let inputs: ChannelInbox
  private let stopping: StopSignal

  init() throws {
    // Every update in flight yields one result.
    inputs = try ChannelInbox(results: Self.underWay + Self.atOnce)
    stopping = try StopSignal()
  }

  /// Accepts results of batches that this publisher submitted. Callable from any thread.
  func take(_ results: [PushResult]) { inputs.take(results) }

  /// Wakes the thread after something was published. Callable from any thread.
  func wake() { inputs.wake() }

  func stop() {
    stopping.raise()
    wake()
  }

  func start(_ sender: APNsSender, databaseURL: String, metrics: Metrics, clock: any Clock) throws {
    _ = try Thread(name: "channels") { [self] in
      let log = Logger(label: "channels")
      var options = ConnectionOptions()
      options.applicationName = "upmc channels"
      options.silence = .seconds(5)
      var round = Round(sender: sender, clock: clock, metrics: metrics, log: log)
      var wasThere = true
      let worker = DatabaseWorker(databaseURL, options, stopping: stopping, pause: Self.pause) { error in
        if wasThere {
          log.warning("channels could not be published on", metadata: FailureDetails.of(error).mapValues { "\($0)" })
        }
        wasThere = false
      }
      worker.run { connection in
        let rest = try round.turn(connection, mayTake: !stopping.isRaised)
        wasThere = true
        for result in inputs.receive(atMost: rest) { round.take(result) }
      }
    }
  }

  /// The state of the publisher's loop: updates in flight, and answers not yet stored.
  private struct Round {
    private let sender: APNsSender
    private let clock: any Clock
    private let log: Logger
    private let pushkeys = PushKeyring(present: SymmetricKey.random())
    private let published: Counter
    private var underWay: [Int64: ChannelUpdates.Taken] = [:]
    private var settled: [ChannelUpdates.Settled] = []
    private var lastBatch: Int64 = 0

    init(sender: APNsSender, clock: any Clock, metrics: Metrics, log: Logger) {
      self.sender = sender
      self.clock = clock
      self.log = log
      published = metrics.counter(
        "upmc_channel_updates_total", "Updates of broadcast channels that Apple has taken.")
    }

    mutating func take(_ result: PushResult) {
      guard let taken = underWay.removeValue(forKey: result.batch.number) else { return }
      let outcome = PublishOutcome.of(result.result.kept, taken)
      if outcome.isAccepted { published.add(1) }
      if outcome.isOver, !outcome.isAccepted {
        log.warning(
          "Apple refuses an update of a channel",
          metadata: ["channel": .stringConvertible(taken.channel), "word": "\(outcome.word ?? "")"])
      }
      settled.append(outcome)
    }

    /// Stores answers and sends due updates. Returns the time until the next update is due.
    mutating func turn(_ connection: DatabaseConnection, mayTake: Bool) throws -> Duration {
      if !settled.isEmpty {
        // Keep only the last answer for each channel, because an update may have been sent twice after its lease ended.
        let last = Dictionary(settled.map { ($0.channel, $0) }) { $1 }
        try connection.run(ChannelUpdates.settle(Array(last.values)))
        settled = []
      }
      guard mayTake, underWay.count < ChannelPublisher.underWay else { return .milliseconds(100) }
      let taken = try connection.run(
        ChannelUpdates.take(atMost: ChannelPublisher.atOnce, for: ChannelPublisher.leaseSeconds))
      for update in taken { offer(update) }
      if !settled.isEmpty { return .zero }
      let next = try connection.run(ChannelUpdates.next())
      return min(ChannelPublisher.longestRest, max(.milliseconds(2), next ?? .seconds(1)))
    }

    private mutating func offer(_ update: ChannelUpdates.Taken) {
      guard clock.wallTime < update.expiresAt else { return settled.append(PublishOutcome.expired(update)) }
      lastBatch += 1
      let message = PushMessage.broadcast(
        update.payload, on: update.apnsChannel, of: update.appID, priority: update.priority,
        // APNs accepts only expiration 0 for a channel that stores no messages.
        isKept: update.storage == .latest, expiresAtSeconds: update.expiresAt.seconds, pushkeys: pushkeys)
      let nobody = DeviceID.lowest
      let now = clock.now.nanoseconds
      let batch = PushBatch(
        BatchAddress(lastBatch, inbox: ChannelPublisher.inbox), message: message,
        route: PushRoute(app: update.app, network: .apns, environment: update.environment),
        targets: [
          PushTarget(
            device: nobody, userKey: UserKey(guest: nobody), psid: update.apnsChannel, badge: 0, clientName: "")
        ], readAtNanoseconds: now)
      if sender.offer(batch) {
        underWay[lastBatch] = update
      } else {
        settled.append(PublishOutcome.of(.notProcessed, update))
      }
    }
  }
}
