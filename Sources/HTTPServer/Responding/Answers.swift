internal import Reactor

/// A connection's answers: the facts that the current answer depends on, and the bytes that collect until the end of
/// the turn.
///
/// Invariant: answers are in the order of their requests, each one complete, or in pieces until `finishStream`. A
/// class, as the connection's other parts: the run-time checks for overlapping accesses to a mutated struct cost a
/// small request a fifth more.
final class Answers {
  /// Result of extending the answers.
  enum Progress {
    /// Nothing to send.
    case same
    case grew
    /// The head is written, and pieces follow.
    case begun
    /// The answer is written completely.
    case whole(Status)
    /// The source of the stream waits until everything so far has been sent.
    case awaitsDrain
    /// The answer cannot become what its head announced.
    case broken
  }

  private var output = Output()
  private var exchange = ResponseWriter.Exchange()
  private var stream: StreamedAnswer?
  /// When the current request was complete, for the meter.
  private var beganAt = Instant(nanoseconds: 0)

  /// Bytes that the kernel has not taken.
  var count: Int { output.count }
  /// The number of the current request.
  var number: UInt64 { exchange.number }
  /// Whether the connection stays open after the current answer.
  var keepsAlive: Bool {
    get { exchange.keepsAlive }
    set { exchange.keepsAlive = newValue }
  }

  /// Time since the current request was complete.
  func age(at now: Instant) -> Duration { now - beganAt }

  func begin(_ number: UInt64, _ facts: RequestStore.Facts, at now: Instant) {
    beganAt = now
    exchange = ResponseWriter.Exchange(
      number: number, isHead: facts.method == .head, minorVersion: facts.minorVersion, keepsAlive: facts.keepsAlive)
  }

  /// A request that has its number already is complete, or refused.
  func beginAgain(_ facts: RequestStore.Facts, at now: Instant) {
    beganAt = now
    exchange.keepsAlive = facts.keepsAlive
  }

  // MARK: Whole answers

  func write(_ response: Response, by writer: inout ResponseWriter, now: Instant) -> Progress {
    output.reattach()
    writer.writeHead(
      response.status, headers: response.headers, bodyCount: response.body.count, exchange, now: now,
      to: &output.buffer)
    if !exchange.isHead, !response.status.forbidsBody { output.append(body: response.body) }
    return .whole(response.status)
  }

  func write(
    _ status: Status, _ contentType: StaticString, _ body: Span<UInt8>, by writer: inout ResponseWriter, now: Instant
  ) -> Progress {
    writer.write(status, contentType, body, exchange, now: now, to: &output)
    return .whole(status)
  }

  func write(
    _ status: Status, _ contentType: StaticString, by writer: inout ResponseWriter, now: Instant,
    body: (inout ByteBuffer) -> Void
  ) -> Progress {
    writer.write(status, contentType, exchange, now: now, to: &output, body: body)
    return .whole(status)
  }

  /// Tells a client that waits with its body to send it.
  func writeContinue() {
    output.reattach()
    output.buffer.append("HTTP/1.1 100 Continue\r\n\r\n")
  }

  // MARK: Answers in pieces

  var isEndless: Bool { stream?.isEndless == true }
  var awaitsDrain: Bool { stream?.awaitsDrain == true }

  /// The head of an answer whose body follows in pieces.
  func beginStream(
    _ status: Status, _ headers: [(String, String)], length: Int?, by writer: inout ResponseWriter, now: Instant
  ) -> Progress {
    if exchange.minorVersion == 0, length == nil { exchange.keepsAlive = false }
    output.reattach()
    writer.writeHead(status, headers: headers, bodyCount: length, exchange, now: now, to: &output.buffer)
    stream = StreamedAnswer(status, exchange, length: length, isEndless: StreamedAnswer.isEndless(headers))
    return .begun
  }

  func write(_ piece: Span<UInt8>) -> Progress {
    stream?.write(piece, to: &output.buffer) == true ? .grew : .same
  }

  /// Returns `.broken` when the body is shorter than announced.
  func finishStream() -> Progress {
    guard let ended = stream, ended.finish(&output.buffer) else { return .broken }
    stream = nil
    return .whole(ended.status)
  }

  func whenDrained(_ action: @escaping () -> Void) -> Progress {
    stream?.whenDrained(action)
    return .awaitsDrain
  }

  func whenAbandoned(_ action: @escaping () -> Void) -> Progress {
    stream?.whenAbandoned(action)
    return .same
  }

  /// The action to call when all of the stream so far has been sent.
  func takeDrained() -> (() -> Void)? { stream?.takeDrained() }

  /// The client has gone. Returns the action to call.
  func abandonStream() -> (() -> Void)? {
    guard let abandoned = stream else { return nil }
    stream = nil
    return abandoned.abandoned
  }

  // MARK: Sending

  /// See `Output.send`.
  func send(over transport: Transport) -> Bool { output.send(over: transport) }

  /// Releases a large buffer.
  func trim() {
    output.trim()
  }
}
