internal import Domain
internal import Logging
internal import Postgres
internal import Reactor
internal import Store

/// The thread `vitals`: samples the backlog and the state of the database every few seconds. It has its own connection,
/// so that a slow answer delays nothing else.
final class VitalsSampler {
  private let stopping: StopSignal
  private static let interval: Duration = .seconds(5)
  /// The number of samples per query of the database's size, for which PostgreSQL examines every file.
  private static let looksPerSize = 12
  /// Statement timeout of the sampling queries.
  private static let timeout: Duration = .seconds(5)

  init(databaseURL: String, health: Health) throws {
    let stopping = try StopSignal()
    self.stopping = stopping
    _ = try Thread(name: "vitals") {
      let log = Logger(label: "vitals")
      var options = ConnectionOptions()
      options.applicationName = "upmc vitals"
      options.statementTimeout = Self.timeout
      options.silence = Self.timeout
      var looks = 0
      var queues = Queues()
      var bytes: Int64 = 0
      var wasThere = true
      var differences: [NodeSettings.Difference] = []
      let worker = DatabaseWorker(databaseURL, options, stopping: stopping) { error in
        // Only the first failure is logged; the threads that need the database log more.
        if wasThere {
          log.warning("the database does not answer", metadata: FailureDetails.of(error).mapValues { "\($0)" })
        }
        wasThere = false
      }
      worker.run { connection in
        if looks % Self.looksPerSize == 0 { bytes = try connection.run(Vitals.size()) }
        let sample = try queues.sample(connection, databaseBytes: bytes)
        health.record(sample)
        if sample.differences != differences { Self.report(sample.differences, log) }
        differences = sample.differences
        // Opens a connection to find out whether admin threads can get one again.
        if health.lacksConnections, (try? Connection(databaseURL, options: options)) != nil {
          health.lacksConnections = false
          // An unreachable database is logged as one fault.
          if wasThere { log.notice("the database has connections again") }
        }
        // Another thread may have noticed the end of the fault before this one sampled.
        if FailureDetails.isOver() || !wasThere {
          log.notice("the database answers again", metadata: ["fault": "\(FailureDetails.away)"])
        }
        wasThere = true
        looks += 1
        // Waits in steps of a second, so that a lack of connections is noticed soon.
        var waited: Duration = .zero
        repeat {
          stopping.rest(atMost: .seconds(1))
          waited += .seconds(1)
        } while !health.lacksConnections && !stopping.isRaised && waited < Self.interval
      }
    }
  }

  private static func report(_ differences: [NodeSettings.Difference], _ log: Logger) {
    if differences.isEmpty { log.notice("the settings that affect all nodes are the same on all of them again") }
    for one in differences {
      log.warning(
        "the nodes differ in a setting that affects all of them: give it one value, and restart those with another one",
        metadata: ["setting": "\(one.name)", "values": "\(one.values)"])
    }
  }

  /// The queues that are sampled, with the numbers from which to scan them.
  private struct Queues {
    private var claims = QueueStart<ClaimID>()
    private var lanes: [Lane: QueueStart<Seqno>] = [:]
    private let clock = SystemClock()

    mutating func sample(_ connection: Connection, databaseBytes: Int64) throws(PostgresError) -> Health.Sample {
      let began = clock.now
      let lastClaim = try connection.run(Claims.last())
      let roundTrip = clock.now - began
      let lastMessage = try connection.run(Messages.last())
      let firstClaim = claims.begin(at: began)
      let snapshot = try connection.run(Vitals.snapshot(claimsFrom: firstClaim))
      claims.looked(from: firstClaim, found: snapshot.firstClaim ?? lastClaim, began: began, ended: clock.now)
      return Health.Sample(
        at: began, roundTrip: roundTrip, snapshot: snapshot, waiting: try lookAtMessages(connection, last: lastMessage),
        databaseBytes: databaseBytes, webhooks: try connection.run(Vitals.webhooks()),
        history: try connection.run(Vitals.history()), nextKeyEnd: try connection.run(KeyUses.nextEnd()),
        differences: try connection.run(NodeSettings.differences()))
    }

    private mutating func lookAtMessages(
      _ connection: Connection, last: Seqno
    ) throws(PostgresError) -> [Vitals.Waiting] {
      let began = clock.now
      let starts = Dictionary(
        uniqueKeysWithValues: Lane.allCases.map { ($0, lanes[$0, default: QueueStart()].begin(at: began)) })
      let waiting = try connection.run(Vitals.waiting(from: starts))
      let ended = clock.now
      for (lane, start) in starts {
        let sending = waiting.filter { $0.lane == lane.name && Self.sendingStates.contains($0.state) }
        lanes[lane, default: QueueStart()].looked(
          from: start, found: sending.map(\.first).min() ?? last, began: began, ended: ended)
      }
      return waiting
    }

    private static let sendingStates = [MessageState.queued.name, MessageState.sending.name]
  }

  func stop() {
    stopping.raise()
  }
}
