internal import API
internal import Domain
internal import JSON
internal import Operations
internal import PushTransport
internal import Reactor
internal import Store
internal import Time

/// Reports for `/ready` whether this node can deliver. The answer contains no names, because it requires no credential.
///
/// A node that cannot reach its database answers 503, so that a load balancer uses another node; so does one whose
/// admin threads get no database connection. All other problems (credentials, a push network that accepts nothing, a
/// full disk) affect every node alike, so they are reported with 200.
struct NodeReadiness: ReadinessReport, Sendable {
  let health: Health
  let lastAccepted: LastSuccess
  let holdsLease: @Sendable () -> Bool
  let goesInCircle: @Sendable () -> Bool
  let clock: DatabaseClock

  var lacksConnections: Bool { health.lacksConnections }

  /// Sentences that say what prevents pushes from being sent; empty when nothing does.
  var complaints: [Sentence] {
    var complaints: [Sentence] = []
    if let said = clock.complaint {
      let effect: Sentence = clock.isDoubtful ? "nothing is sent until one of them is set right" : "set both by NTP"
      complaints.append("This machine's clock is \(said): \(effect).")
    }
    if !holdsLease(), !clock.isDoubtful {
      complaints.append("The dispatcher has no lease: it cannot write to the database.")
    }
    if goesInCircle() {
      complaints.append("Deliveries are read and too old to be sent, again and again: the database is too slow.")
    }
    let now = clock.wallTime
    let credentials = health.credentials.values
    let unusable = credentials.count { !$0.isUsable || ($0.endsAt ?? .max) <= now }
    if unusable > 0 { complaints.append("\(unusable) credentials cannot be used; the log says which.") }
    let ending = credentials.count {
      let rest = ($0.endsAt ?? .max) - now
      return rest > .zero && rest < .seconds(ServerLimits.certificateWarningDays * 86_400)
    }
    if ending > 0 {
      complaints.append("\(ending) credentials end within \(ServerLimits.certificateWarningDays) days.")
    }
    guard let sample = health.sample else { return complaints + ["The database has not been sampled lately."] }
    if sample.snapshot.pausedApps > 0 {
      complaints.append("\(sample.snapshot.pausedApps) apps are paused: see `upmc app list`.")
    }
    if sample.snapshot.setAside > 0 {
      complaints.append(
        "\(sample.snapshot.setAside) messages are set aside because they cannot be processed: see why each is paused.")
    }
    if sample.snapshot.overdue > 0 {
      complaints.append("\(sample.snapshot.overdue) deliveries wait although they are due.")
    }
    return complaints
  }

  func readiness(isOutOfRoom: Bool) -> ReadinessAnswer {
    let room: [Sentence] = isOutOfRoom ? ["The database's disk is full: nothing can be stored."] : []
    let sample = health.sample
    return ReadinessAnswer(
      complaints: room + complaints, credentials: health.credentials.count,
      lastAcceptedAt: lastAccepted.wallSeconds.map { Timestamp(seconds: $0) },
      overdueDeliveries: sample?.snapshot.overdue ?? 0, nodes: sample?.snapshot.nodes ?? 0)
  }
}
