internal import Reactor

/// What a connection answers: what must be known of the present request, and the bytes that gather until the end of the turn.
///
/// Invariant: answers stand in the order of their requests, each one whole, or in pieces until `finishStream`. A class, as
/// the connection's other parts: a struct that is changed by calls is watched for overlapping accesses, which costs a small
/// request a fifth more.
final class Answers {
  /// What came of adding to them.
  enum Progress {
    /// Nothing to send.
    case same
    case grew
    /// The head is there, and pieces follow.
    case begun
    /// The answer is there whole.
    case whole(Status)
    /// The source of the stream wants to know when all of it so far has been sent.
    case awaitsDrain
    /// The answer cannot become what its head says.
    case broken
  }

  private var output = Output()
  private var exchange = ResponseWriter.Exchange()
  private var stream: StreamedAnswer?
  /// When the present request was whole, for the meter.
  private var beganAt = Instant(nanoseconds: 0)

  /// Bytes that the kernel has not taken.
  var count: Int { output.count }
  /// The number of the present request.
  var number: UInt64 { exchange.number }
  /// Whether the connection stays open after the present answer.
  var keepsAlive: Bool {
    get { exchange.keepsAlive }
    set { exchange.keepsAlive = newValue }
  }

  /// Time since the present request was whole.
  func age(at now: Instant) -> Duration { now - beganAt }

  func begin(_ number: UInt64, _ facts: RequestStore.Facts, at now: Instant) {
    beganAt = now
    exchange = ResponseWriter.Exchange(
      number: number, isHead: facts.method == .head, minorVersion: facts.minorVersion, keepsAlive: facts.keepsAlive)
  }

  /// A request that has its number already is whole, or refused.
  func beginAgain(_ facts: RequestStore.Facts, at now: Instant) {
    beganAt = now
    exchange.keepsAlive = facts.keepsAlive
  }

  // MARK: Whole

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

  /// The client waits for leave to send its body.
  func writeContinue() {
    output.reattach()
    output.buffer.append("HTTP/1.1 100 Continue\r\n\r\n")
  }

  // MARK: In pieces

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

  /// Broken when the body is shorter than was said.
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

  /// What to call when all of the stream so far has been sent.
  func takeDrained() -> (() -> Void)? { stream?.takeDrained() }

  /// The client has gone. Returns what to call then.
  func abandonStream() -> (() -> Void)? {
    guard let abandoned = stream else { return nil }
    stream = nil
    return abandoned.abandoned
  }

  // MARK: Out

  /// As `Output.send`.
  func send(over transport: Transport) -> Bool { output.send(over: transport) }

  /// Gives a large buffer back.
  func trim() {
    output.trim()
  }
}
