package import Domain

/// A buffer for the results of one event-loop iteration of the sender. It delivers them together at the end of the
/// iteration, and releases their targets from admission control.
package final class ResultBuffer {
  private let gate: RouteAdmission
  private let results: PushResultSink
  private var finished: [PushResult] = []
  // Results come in runs of the same route and lane: a run is counted here and released from admission as a whole.
  private var runCondition: RouteCondition?
  private var runLane = Lane.urgent
  private var runCount = 0

  package init(gate: RouteAdmission, results: @escaping PushResultSink) {
    self.gate = gate
    self.results = results
  }

  package func finish(_ submission: Submission, _ result: SubmissionResult) {
    let batch = submission.batch
    finished.append(PushResult(batch: batch.address, target: submission.target, result: result))
    if runCondition !== batch.condition || runLane != batch.message.lane {
      leaveGate()
      runCondition = batch.condition
      runLane = batch.message.lane
    }
    runCount += 1
  }

  /// Finishes a batch that was never queued, with the same result for all its targets.
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
    if let runCondition, runCount > 0 {
      gate.leave(RouteAdmission.Place(route: runCondition.route, lane: runLane), runCount)
    }
    runCondition = nil
    runCount = 0
  }
}
