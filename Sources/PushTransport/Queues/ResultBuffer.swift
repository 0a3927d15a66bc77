package import Domain

/// Results of a turn of the sender's loop, delivered together at its end.
package final class ResultBuffer {
  private let gate: RouteAdmission
  private let results: PushResultSink
  private var finished: [PushResult] = []
  // Results come in runs of one route and lane: counted here and passed to the gate when the next run begins.
  private var runStanding: RouteCondition?
  private var runLane = Lane.urgent
  private var runCount = 0

  package init(gate: RouteAdmission, results: @escaping PushResultSink) {
    self.gate = gate
    self.results = results
  }

  package func finish(_ submission: Submission, _ result: SubmissionResult) {
    let batch = submission.batch
    finished.append(PushResult(batch: batch.address, target: submission.target, result: result))
    if runStanding !== batch.standing || runLane != batch.message.lane {
      leaveGate()
      runStanding = batch.standing
      runLane = batch.message.lane
    }
    runCount += 1
  }

  /// Gives all targets of a batch that was never queued the same result.
  package func finish(_ batch: PushBatch, _ result: SubmissionResult) {
    for target in batch.targets.indices {
      finished.append(PushResult(batch: batch.address, target: target, result: result))
    }
    gate.leave(RouteAdmission.Place(route: batch.route, lane: batch.message.lane), batch.targets.count)
  }

  package func deliver() {
    guard !finished.isEmpty else { return }
    let batch = finished
    finished = []
    finished.reserveCapacity(batch.count)
    leaveGate()
    results(batch)
  }

  private func leaveGate() {
    if let runStanding, runCount > 0 {
      gate.leave(RouteAdmission.Place(route: runStanding.route, lane: runLane), runCount)
    }
    runStanding = nil
    runCount = 0
  }
}
