internal import Reactor

/// Numbers of this module: unit, reason, source.
package enum HTTPLimits {
  /// RFC 9112 §3 recommends that every server takes request lines of at least 8,000 bytes.
  package static let requestLineBytes = 8_000
  /// One header line, without its CR LF. Cookies and tokens stay well below; nginx and Apache draw the line here too.
  package static let fieldBytes = 8_192
  /// Header lines of one request.
  package static let fields = 100
  /// All header lines of one request together, in bytes, without their CR LF.
  package static let allFieldsBytes = 65_536
  /// Empty lines that may precede a request (RFC 9112 §2.2 asks for one).
  package static let emptyLines = 2
  /// Body limit in bytes, unless the handler sets another one.
  package static let bodyBytes = 1_048_576
  /// Body up to which no handler is asked: every call may bring as much, and nearly all bring less.
  package static let unaskedBodyBytes = 16_384
  /// Large bodies of all requests that are being received or processed, together: five of the largest videos, or some
  /// hundred long lists of recipients.
  package static let bodyMemoryBytes = 268_435_456
  /// Bodies spooled to files, together: forty of the largest videos.
  package static let spoolBytes = 2_147_483_648
  /// Requests up to this size do not count there: a hundred receipts at once have less.
  package static let freeBodyBytes = 16_384
  /// Chunk extensions of one body, together. They are practically unused; a client that sends more is stalling.
  package static let chunkExtensionBytes = 4_096
  /// Trailer lines after a chunked body, together. They are checked and discarded.
  package static let trailerBytes = 8_192
  /// Buffer space offered to each read: it takes a typical request at once, and most pipelined runs.
  package static let readBytes = 4_096
  /// Buffer space offered to a read while a body is awaited.
  package static let bodyReadBytes = 65_536
  /// Initial size of a connection's output buffer.
  package static let idleOutputBytes = 512
  /// Unsent answer bytes above which that connection's next request is not begun.
  package static let outputBytes = 262_144
  /// Unsent answer bytes of all connections together above which a client must read an answer before it gets the next:
  /// five hundred clients that never read fill it.
  package static let allOutputBytes = 134_217_728
  /// Input sent ahead (pipelined) above which the socket is not read until the current request is answered.
  package static let pipelinedBytes = 65_536
  /// Bodies of at least this size are sent without a copy; smaller ones are appended to their header.
  package static let detachedBodyBytes = 16_384
  /// Input buffer of an idle connection.
  package static let restingBufferBytes = 64
  /// Memory of an idle connection: our objects and the kernel's file, rounded up. Measured: 1.7 KiB.
  package static let connectionBytes = 2_560
  /// The same under TLS: OpenSSL's object of 7.6 KiB and what it refers to. Measured: 17 KiB.
  package static let secureConnectionBytes = 20_480
  /// Larger buffers are released when their connection becomes idle.
  package static let idleBufferBytes = 16_384
  /// Unsent bytes of a stream above which its client is too slow and is disconnected.
  package static let streamBytes = 4_194_304
  /// Bytes that a client may still send after an error answer before it is disconnected.
  package static let lingerBytes = 4_194_304
  /// Connections accepted beyond the limit, only to be answered 503. Further ones stay in the kernel's queue.
  package static let refusals = 64
  /// Connections accepted in one turn, so that a flood of them cannot starve the open ones.
  package static let acceptsPerTurn = 64
  /// How long a server that shuts down still accepts clients in handshake: a round trip around the world, which is what
  /// the last part of a handshake takes.
  package static let lastAccepts = Duration.milliseconds(300)
  /// Header of the PROXY protocol, with its extensions. Addresses end at 232 bytes; clouds add some hundred.
  package static let proxyHeaderBytes = 4_096
  /// An address's burst allowance is its rate times this.
  package static let requestCredit = Duration.seconds(2)
  /// Connections examined to find an idle one to close for a new one.
  package static let wayGivers = 64
  /// How long accepting pauses when the process is out of descriptors.
  package static let acceptRest = Duration.milliseconds(100)
}

/// Limits on a request's head. The defaults are what the product promises to accept.
package struct HeadLimits: Sendable {
  package var requestLineBytes = HTTPLimits.requestLineBytes
  package var fieldBytes = HTTPLimits.fieldBytes
  package var fields = HTTPLimits.fields
  package var allFieldsBytes = HTTPLimits.allFieldsBytes
  package var emptyLines = HTTPLimits.emptyLines

  package init() {}
}
