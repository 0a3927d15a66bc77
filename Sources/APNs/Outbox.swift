internal import Domain

/// Results of a turn of the sender's loop, delivered together at its end.
final class Outbox {
  private let gate: Gate
  private let results: PushResultSink
  private var finished: [PushResult] = []
  // Results come in runs of one route and lane: counted here, told to the gate when another one begins.
  private var run: Gate.Place?
  private var runCount = 0

  init(gate: Gate, results: @escaping PushResultSink) {
    self.gate = gate
    self.results = results
  }

  func finish(_ submission: Submission, _ result: SubmissionResult) {
    finish(submission.batch.batch, submission.target, result)
  }

  func finish(_ batch: PushBatch, _ target: Int, _ result: SubmissionResult) {
    finished.append(PushResult(batch: batch.number, target: target, result: result))
    if run?.route != batch.route || run?.lane != batch.message.lane {
      leaveGate()
      run = Gate.Place(route: batch.route, lane: batch.message.lane)
    }
    runCount += 1
  }

  /// A whole batch has the same result.
  func finish(_ batch: PushBatch, _ result: SubmissionResult) {
    for target in batch.targets.indices { finish(batch, target, result) }
  }

  func deliver() {
    guard !finished.isEmpty else { return }
    let batch = finished
    finished = []
    finished.reserveCapacity(batch.count)
    leaveGate()
    results(batch)
  }

  private func leaveGate() {
    if let run, runCount > 0 { gate.leave(run, runCount) }
    run = nil
    runCount = 0
  }
}
