package import Reactor
package import Tracing

/// Answers one request of one connection. Cheap to copy; for the loop's thread only.
///
/// Answer exactly once, now or later. A second answer is ignored, and so is one to a client that has gone.
package struct Responder {
  let connection: any Answering
  let serial: UInt64

  /// False when the client has gone, or the answer has been given.
  package var isOpen: Bool { connection.isAwaiting(serial) }

  /// The request's span, if it is recorded and still expects its answer.
  package var span: TraceContext? { connection.span(serial) }

  package func send(_ response: Response) {
    connection.respond(serial, response)
  }

  /// The hot path: no headers but the content type.
  package func send(status: Status, contentType: StaticString, body: [UInt8]) {
    connection.respond(serial, status, contentType, body.span)
  }

  package func send(status: Status, contentType: StaticString, body: StaticString) {
    connection.respond(serial, status, contentType) { $0.append(body) }
  }

  /// Writes the body into a shared buffer: nothing is allocated once the buffer has grown.
  package func send(status: Status, contentType: StaticString, _ write: (inout ByteBuffer) -> Void) {
    connection.respond(serial, status, contentType, write)
  }

  /// An answer without body, such as 204.
  package func send(status: Status) {
    connection.respond(serial, Response(status: status))
  }

  /// Begins an answer that is written in pieces, now and later. Nil when the client has gone.
  /// - Parameter length: of the whole body, in bytes; nil when unknown, which makes the pieces chunks. An answer that
  ///   finishes short of this length is cut off, so that the client does not take it for complete.
  package func stream(status: Status, headers: [(String, String)], length: Int? = nil) -> ResponseStream? {
    connection.beginStream(serial, status, headers, length: length)
      ? ResponseStream(connection: connection, serial: serial) : nil
  }

  /// Lets another thread answer.
  package var ticket: ResponseTicket { connection.ticket(serial) }
}

/// What a `Responder` and a `ResponseStream` need of their connection. Every call names the request that it answers; a
/// late or repeated one does nothing.
protocol Answering: AnyObject {
  func isAwaiting(_ serial: UInt64) -> Bool
  func respond(_ serial: UInt64, _ response: Response)
  func respond(_ serial: UInt64, _ status: Status, _ contentType: StaticString, _ body: Span<UInt8>)
  func respond(
    _ serial: UInt64, _ status: Status, _ contentType: StaticString, _ write: (inout ByteBuffer) -> Void)
  func ticket(_ serial: UInt64) -> ResponseTicket
  func span(_ serial: UInt64) -> TraceContext?

  /// Bytes that the kernel has not taken.
  var unsentBytes: Int { get }
  func isStreaming(_ serial: UInt64) -> Bool
  func beginStream(_ serial: UInt64, _ status: Status, _ headers: [(String, String)], length: Int?) -> Bool
  func writeStream(_ serial: UInt64, _ piece: Span<UInt8>) -> Bool
  func finishStream(_ serial: UInt64)
  func whenDrained(_ serial: UInt64, _ action: @escaping () -> Void)
  func whenAbandoned(_ serial: UInt64, _ action: @escaping () -> Void)
}
