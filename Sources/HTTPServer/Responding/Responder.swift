package import Reactor
package import Tracing

/// Answers one request. Cheap to copy; confined to the loop's thread.
///
/// The handler must answer exactly once, immediately or later. A second response is ignored, and so is one to a client
/// that has disconnected.
package struct Responder {
  let connection: any Answering
  let serial: UInt64

  /// False when the request is answered, when its response is being streamed, and after the client has disconnected.
  package var isOpen: Bool { connection.isAwaiting(serial) }

  /// Context of the request's span; nil if the request is not recorded, or the connection has begun its next one.
  package var span: TraceContext? { connection.span(serial) }

  package func send(_ response: Response) {
    connection.respond(serial, response)
  }

  /// Sends a response without headers other than the content type; optimized for the hot path.
  package func send(status: Status, contentType: StaticString, body: [UInt8]) {
    connection.respond(serial, status, contentType, body.span)
  }

  package func send(status: Status, contentType: StaticString, body: StaticString) {
    connection.respond(serial, status, contentType) { $0.append(body) }
  }

  /// Sends a response whose body `write` appends to a shared buffer, which usually avoids allocating. Calls `write`
  /// before it returns, or not at all if the request is not open. `write` must not answer another request.
  package func send(status: Status, contentType: StaticString, _ write: (inout ByteBuffer) -> Void) {
    connection.respond(serial, status, contentType, write)
  }

  /// Sends a response without a body, such as 204.
  package func send(status: Status) {
    connection.respond(serial, Response(status: status))
  }

  /// Starts a response that is written in pieces. Returns nil if the request is not open any more. Also returns nil for
  /// an event stream whose client has shut down its sending side, and closes the connection.
  /// - Parameter length: size of the whole body in bytes; nil if unknown, which selects chunked encoding, or in
  ///   HTTP/1.0 ends the connection after the response. A response that is shorter than announced is cut off, so that
  ///   the client notices that it is incomplete; writing more traps.
  package func stream(status: Status, headers: [(String, String)], length: Int? = nil) -> ResponseStream? {
    connection.beginStream(serial, status, headers, length: length)
      ? ResponseStream(connection: connection, serial: serial) : nil
  }

  /// A ticket by which another thread can answer.
  package var ticket: ResponseTicket { connection.ticket(serial) }
}

/// The operations of a connection that a `Responder` and a `ResponseStream` need. Each call identifies its request by
/// `serial`; it has no effect once that request is answered or the client has disconnected.
protocol Answering: AnyObject {
  func isAwaiting(_ serial: UInt64) -> Bool
  func respond(_ serial: UInt64, _ response: Response)
  func respond(_ serial: UInt64, _ status: Status, _ contentType: StaticString, _ body: Span<UInt8>)
  func respond(
    _ serial: UInt64, _ status: Status, _ contentType: StaticString, _ write: (inout ByteBuffer) -> Void)
  func ticket(_ serial: UInt64) -> ResponseTicket
  func span(_ serial: UInt64) -> TraceContext?

  /// Number of bytes of all the connection's responses that the kernel has not accepted yet.
  var unsentBytes: Int { get }
  func isStreaming(_ serial: UInt64) -> Bool
  func beginStream(_ serial: UInt64, _ status: Status, _ headers: [(String, String)], length: Int?) -> Bool
  func writeStream(_ serial: UInt64, _ piece: Span<UInt8>) -> Bool
  func finishStream(_ serial: UInt64)
  func whenDrained(_ serial: UInt64, _ action: @escaping () -> Void)
  func whenAbandoned(_ serial: UInt64, _ action: @escaping () -> Void)
}
