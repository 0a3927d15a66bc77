internal import Domain
internal import HTTP2
internal import Reactor
internal import TLS

/// Requests on a connection: what it takes, how it is submitted, and how it ended.
extension Connection {
  var inFlight: Int { requests.count }

  /// Requests of this lane that it would take now.
  func allowance(_ lane: Lane) -> Int {
    guard let session else { return 0 }
    return max(0, state.allowance(capacity: session.capacity, inFlight: inFlight, cap: shares[lane]))
  }

  /// HTTP/2's connection window still takes a body of this size at once, and leaves what more urgent ones may need (or
  /// nothing is in flight to wait for).
  func hasWindow(for bytes: Int, _ lane: Lane) -> Bool {
    inFlight == 0 || (session?.windowBytes ?? 0) >= bytes + StreamShares.windowReserve(lane)
  }

  /// It takes no more of this lane before something is answered: by requests in flight, or by bytes that the peer has
  /// not acknowledged.
  func isFull(_ lane: Lane) -> Bool {
    allowance(lane) == 0 || !hasWindow(for: PushWire.Limits.payloadBytes, lane)
  }

  /// Submits one request; only from `ConnectionOwner.fill`. False when the session refuses: nothing was taken.
  func submit(_ submission: Submission, _ template: RequestTemplate, _ letter: borrowing Letter) -> Bool {
    guard let session else { return false }
    let slot = requests.reserve()
    let (path, varying, body) = (letter.path, letter.varying, letter.body)
    do throws(HTTP2Error) {
      let id = try session.submit(
        template, path: path.span, varying: varying.span, body: body.span, tag: UInt64(slot))
      if inFlight == 0 { state.awakened(at: loop.now) }
      requests.put(InFlight(submission: submission, streamID: id, submittedAt: loop.now), at: slot)
      return true
    } catch {
      requests.release(slot)
      return false
    }
  }

  func ended(_ end: StreamEnd, _ owner: any ConnectionOwner) -> ConnectionState.Actions {
    // The owner may have ended the connection while earlier events of this turn were handled.
    guard let request = requests.take(Int(end.tag)) else { return [] }
    let ending: Ending
    var actions: ConnectionState.Actions = []
    if request.isGivenUp, end.status == 0 {
      ending = .unknown("no answer within \(PushWire.Limits.requestSeconds) s")
    } else if end.isNotProcessed {
      ending = .notProcessed
    } else if end.status >= 200, end.errorCode == .noError {
      let time = loop.now - request.submittedAt
      latency.answered(after: time)
      owner.answered(request.submission.batch.message.lane, after: time)
      actions = state.answered(isForbidden: end.status == 403, at: loop.now)
      noteTime(end)
      ending = end.status == 200 ? .accepted : .refused(refusal(end))
    } else {
      ending = .unknown("stream reset: \(end.errorCode)")
    }
    owner.ended(request.submission, ending, on: self)
    return actions
  }

  private func refusal(_ end: StreamEnd) -> Refusal {
    let wallSeconds = loop.clock.wallMicroseconds / 1_000_000
    let wait = end.value(of: "retry-after").flatMap { HTTPDate.retryAfter($0, now: wallSeconds) }
    return Refusal(status: end.status, body: end.body, retryAfter: wait)
  }

  private func noteTime(_ end: StreamEnd) {
    guard !end.fields.isEmpty, let date = end.value(of: "date"), let seconds = HTTPDate.seconds(date) else { return }
    owner.heard(peerSeconds: seconds)
  }

  /// Writes what waits and submits as much as may be, until there is nothing more or the socket is full.
  func pump() {
    guard let stream, let session, state.phase != .closed, !isLost else { return }
    while true {
      switch stream.write(&output) {
      case .complete: break
      case .wouldBlock(let readiness):
        return watch(waitsToRead.union(readiness))
      case .failed(let error): return endAfterReading(error)
      }
      session.writeOutput(into: &output)
      if !output.isEmpty { continue }
      if session.isFinished { return end("the session is over") }
      guard allowance(.urgent) > 0, owner.fill(self) > 0 else { break }
    }
    watch(waitsToRead)
    // Requests that were reset, or that a GOAWAY overtook, end when their frames would have left.
    takeEvents(session)
  }

  /// Resets requests whose time is over.
  func giveUpOverdue(_ session: ClientSession, _ now: Instant) {
    let (overdue, age) = requests.review(at: now, limit: .seconds(PushWire.Limits.requestSeconds))
    meanAge = Double(age.nanoseconds) / 1e9
    for stream in overdue {
      session.reset(stream, .cancel)
      perform(state.timedOut(inFlight: inFlight, at: now))
    }
    if !overdue.isEmpty { takeEvents(session) }
  }
}
