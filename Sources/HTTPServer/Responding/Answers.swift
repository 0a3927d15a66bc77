internal import Reactor

/// The output of a connection: the state of the current response, and the bytes that are collected until the end of the
/// loop iteration.
///
/// Invariant: responses are in the order of their requests, and each is complete, except a streamed one until
/// `finishStream`. A class, like the connection's other parts, because run-time checks for overlapping accesses to a
/// struct would make a small request a fifth slower.
final class Answers {
  /// The result of extending the output.
  enum Progress {
    /// Nothing was added.
    case same
    case grew
    /// The head of a streamed response is written; pieces follow.
    case begun
    /// The response is written completely.
    case whole(Status)
    /// The source of a streamed response waits until all output has been sent.
    case awaitsDrain
    /// The response is shorter than its head announced, or the client reads too slowly: reset the connection.
    case broken
  }

  private var output = Output()
  private var exchange = ResponseWriter.Exchange()
  private var stream: StreamedAnswer?
  /// Time from which the current response is timed: when its request was complete or refused, or the handler was asked
  /// about its body, whichever was last.
  private var beganAt = Instant(nanoseconds: 0)

  /// Number of bytes that the kernel has not accepted yet.
  var count: Int { output.count }
  /// Random number of the current request, or of the last one; 0 before the first.
  var number: UInt64 { exchange.number }
  /// True if the connection stays open after the current response.
  var keepsAlive: Bool {
    get { exchange.keepsAlive }
    set { exchange.keepsAlive = newValue }
  }

  /// Returns the nanoseconds since the current request was complete or refused. If the handler answers before the body
  /// has arrived, those since the handler was asked about the body. A number, because a `Duration` takes a division of
  /// 128 bits to become one.
  func age(at now: Instant) -> Int64 { now.nanoseconds - beganAt.nanoseconds }

  func begin(_ number: UInt64, _ facts: RequestStore.Facts, at now: Instant) {
    beganAt = now
    exchange = ResponseWriter.Exchange(
      number: number, isHead: facts.method == .head, minorVersion: facts.minorVersion, keepsAlive: facts.keepsAlive)
  }

  /// Updates the current exchange when its request, for which `begin` was called, is complete or refused.
  func beginAgain(_ facts: RequestStore.Facts, at now: Instant) {
    beganAt = now
    exchange.keepsAlive = facts.keepsAlive
  }

  // MARK: Whole responses

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

  /// Writes "100 Continue", for a client that waits before it sends its body.
  func writeContinue() {
    output.reattach()
    output.buffer.append("HTTP/1.1 100 Continue\r\n\r\n")
  }

  // MARK: Responses in pieces

  var isEndless: Bool { stream?.isEndless == true }
  var awaitsDrain: Bool { stream?.awaitsDrain == true }

  /// Writes the head of a response whose body follows in pieces.
  /// - Parameter length: size of the body in bytes; nil if unknown, which selects chunked encoding, or in HTTP/1.0 ends
  ///   the connection after the response.
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

  /// Ends a streamed response. Returns `broken` if the body is shorter than announced, or there is no stream.
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

  /// Removes and returns the action to call when all output of the stream so far has been sent; nil if there is none.
  func takeDrained() -> (() -> Void)? { stream?.takeDrained() }

  /// Ends the stream because the client has disconnected. Returns the action to call; nil if there is no stream, or
  /// none was set for it.
  func abandonStream() -> (() -> Void)? {
    guard let abandoned = stream else { return nil }
    stream = nil
    return abandoned.abandoned
  }

  // MARK: Sending

  /// Sends the output; see `Output.send`.
  func send(over transport: Transport) -> Bool { output.send(over: transport) }

  /// Frees the buffer if it is empty but has grown large.
  func trim() {
    output.trim()
  }
}
