package import Reactor

/// The way back to whoever asked: names one request of one connection. Cheap to copy; for the loop's thread only.
///
/// Answer exactly once, now or later. A second answer is ignored, and so is one to a client that has gone.
package struct Responder {
  let connection: any Answering
  let serial: UInt64

  /// False when the client has gone, or the answer has been given.
  package var isOpen: Bool { connection.isAwaiting(serial) }

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

  /// Lends a buffer to write the body into: nothing is allocated once the buffer has grown.
  package func send(status: Status, contentType: StaticString, _ write: (inout ByteBuffer) -> Void) {
    connection.respond(serial, status, contentType, write)
  }

  /// An answer without body, such as 204.
  package func send(status: Status) {
    connection.respond(serial, Response(status: status))
  }

  /// Begins an answer that is written in pieces, now and later. Nil when the client has gone.
  /// - Parameter length: of the whole body, in bytes; nil when it is not known: then pieces go in chunks. An answer that
  ///   is finished before it has this length is cut off, for the client must not take it for the whole.
  package func stream(status: Status, headers: [(String, String)], length: Int? = nil) -> ResponseStream? {
    connection.beginStream(serial, status, headers, length: length)
      ? ResponseStream(connection: connection, serial: serial) : nil
  }

  /// Lets another thread answer.
  package var ticket: ResponseTicket { connection.ticket(serial) }
}

/// What a `Responder` and a `ResponseStream` need of the connection behind them. Every call names the request that it
/// answers; one that is late, or a second one, does nothing.
protocol Answering: AnyObject {
  func isAwaiting(_ serial: UInt64) -> Bool
  func respond(_ serial: UInt64, _ response: Response)
  func respond(_ serial: UInt64, _ status: Status, _ contentType: StaticString, _ body: Span<UInt8>)
  func respond(
    _ serial: UInt64, _ status: Status, _ contentType: StaticString, _ write: (inout ByteBuffer) -> Void)
  func ticket(_ serial: UInt64) -> ResponseTicket

  /// Bytes that the kernel has not taken.
  var unsentBytes: Int { get }
  func isStreaming(_ serial: UInt64) -> Bool
  func beginStream(_ serial: UInt64, _ status: Status, _ headers: [(String, String)], length: Int?) -> Bool
  func writeStream(_ serial: UInt64, _ piece: Span<UInt8>) -> Bool
  func finishStream(_ serial: UInt64)
  func whenDrained(_ serial: UInt64, _ action: @escaping () -> Void)
  func whenAbandoned(_ serial: UInt64, _ action: @escaping () -> Void)
}
