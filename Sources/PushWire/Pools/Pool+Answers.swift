package import Domain
internal import HTTP2
package import Logging

/// What each ending means for a target, and what a network's door may do about it.
extension Pool {
  func answered(_ lane: Lane, after time: Duration) {
    meter.answered(lane, after: time)
  }

  func ended(_ submission: Submission, _ ending: Ending, on connection: Connection) {
    let standing = submission.batch.standing
    standing.inFlight -= 1
    meter.ended(ending, wallSeconds: wallSeconds) { door.word(for: $0) }
    switch ending {
    case .accepted:
      standing.answered(isError: false)
      hasAccepted = true
      finish(submission, .accepted)
    case .refused(let refusal):
      standing.answered(isError: door.isHeldAgainstConnection(refusal))
      door.refused(submission, refusal, on: connection, of: self)
      if standing.isErroneous { isolate(standing) }
    case .notProcessed: sendAgain(submission, otherwise: .notProcessed)
    case .unknown(let reason): finish(submission, .unknown(reason: reason))
    }
  }

  package func finish(_ submission: Submission, _ result: SubmissionResult) {
    outbox.finish(submission, result)
  }

  /// Sends it again, a few times at most, by whichever pool its route has now.
  package func sendAgain(_ submission: Submission, otherwise result: SubmissionResult) {
    owner.sendAgain(submission, otherwise: result)
  }

  /// Nothing of this route can be sent until an operator mends its settings. The others go on, on connections that its
  /// refusals do not reach.
  package func pause(_ submission: Submission, _ reason: String, on connection: Connection) {
    log(.error, "credential refused", connection, reason)
    finish(submission, .credentialFault(reason: reason))
    guard let queue = queue(of: submission.batch.standing.route) else { return }
    fail(queue, reason)
    isolate(queue.standing)
  }

  package var isShared: Bool { queues.count > 1 }

  /// Takes a route out of the common pool, for good: until its credential changes.
  package func isolate(_ standing: RouteStanding) {
    guard isShared, !standing.isIsolated else { return }
    owner.isolate(standing.route)
  }

  func received(_ goAway: GoAway, on connection: Connection) {
    door.received(goAway, on: connection, of: self)
  }

  func heard(peerSeconds: Int64) {
    door.heard(peerSeconds: peerSeconds, of: self)
    configuration.heardTime?(peerSeconds)
  }

  /// How many targets a lane of each of its routes may hold: what waits longer than a binding stays fresh is stale.
  package func bound(to targets: Int) {
    for queue in queues { gate.bound(queue.route, to: targets) }
  }

  package var logger: Logger { configuration.logger }
}
