package import Reactor

/// The way back to whoever asked: names one request of one connection. Cheap to copy; for the loop's thread only.
///
/// Answer exactly once, now or later. A second answer is ignored, and so is one to a client that has gone.
package struct Responder {
  let connection: Connection
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
    connection.respond(serial, status, contentType, body)
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
  package var ticket: ResponseTicket {
    ResponseTicket(
      replies: connection.server.replies, slot: connection.slot, connection: connection.identity, serial: serial)
  }
}
