internal import Reactor

/// Numbers of this module: unit, reason, source.
package enum HTTPLimits {
  /// RFC 9112 §3 recommends that every server takes request lines of at least 8,000 bytes.
  package static let requestLineBytes = 8_000
  /// One header line, without its CR LF. Cookies and tokens end well below; nginx and Apache draw the line here too.
  package static let fieldBytes = 8_192
  /// Header lines of one request.
  package static let fields = 100
  /// All header lines of one request together, without their CR LF.
  package static let allFieldsBytes = 65_536
  /// Empty lines that may precede a request (RFC 9112 §2.2 asks for one).
  package static let emptyLines = 2
  /// Body of a request, unless its handler says something else.
  package static let bodyBytes = 1_048_576
  /// A body about which no handler is asked: every call has room for as much, and nearly all have less.
  package static let unaskedBodyBytes = 16_384
  /// Large bodies of all requests that are being received or worked on, together: five of the largest films, or some
  /// hundred long lists of recipients.
  package static let bodyMemoryBytes = 268_435_456
  /// Bodies that go to files, together: forty of the largest films.
  package static let spoolBytes = 2_147_483_648
  /// A body that is not counted there: a hundred receipts at once have less.
  package static let freeBodyBytes = 16_384
  /// Chunk extensions of one body, together. Nobody uses them; a client that sends more plays for time.
  package static let chunkExtensionBytes = 4_096
  /// Trailer lines after a chunked body, together. They are checked and dropped.
  package static let trailerBytes = 8_192
  /// Free space offered to each read: one read takes a typical request whole, and most pipelined runs.
  package static let readBytes = 4_096
  /// Free space offered to a read while a body is awaited.
  package static let bodyReadBytes = 65_536
  /// First size of a connection's output buffer.
  package static let idleOutputBytes = 512
  /// Unsent answer bytes above which no further request of that connection is begun.
  package static let outputBytes = 262_144
  /// Unsent answer bytes of all connections together above which a client gets no answer before it has taken the last one:
  /// five hundred clients that ask and never read fill it.
  package static let allOutputBytes = 134_217_728
  /// Requests received ahead (pipelined) beyond which the socket is not read, until the present one is answered.
  package static let pipelinedBytes = 65_536
  /// Bodies of at least this size are sent from where they lie; smaller ones are copied behind their header.
  package static let detachedBodyBytes = 16_384
  /// What a connection that rests keeps to read into.
  package static let restingBufferBytes = 64
  /// Memory of a connection that rests: our objects and the kernel's file, rounded up. Measured: 1.7 KiB.
  package static let connectionBytes = 2_560
  /// The same under TLS: OpenSSL's object of 7.6 KiB and what hangs from it. Measured: 17 KiB.
  package static let secureConnectionBytes = 20_480
  /// Buffers larger than this are given back when their connection falls idle.
  package static let idleBufferBytes = 16_384
  /// Unsent bytes of a stream above which its client is too slow for it and is cut off.
  package static let streamBytes = 4_194_304
  /// Bytes that a client may still send after an error answer before it is cut off.
  package static let lingerBytes = 4_194_304
  /// Connections accepted beyond the limit, only to be told 503. Above them the kernel's queue holds the rest.
  package static let refusals = 64
  /// Connections taken from the kernel in one turn, so that a storm of them cannot starve those that are open.
  package static let acceptsPerTurn = 64
  /// How long a server that ends still listens for those who are shaking hands: a round trip around the world, which is
  /// what the last part of a handshake takes.
  package static let lastAccepts = Duration.milliseconds(300)
  /// Header of the PROXY protocol, with its extensions. The addresses take 232 at most; clouds add some hundred.
  package static let proxyHeaderBytes = 4_096
  /// What an address may ask at once is what it may ask in this time.
  package static let requestCredit = Duration.seconds(2)
  /// Connections looked at to find one that can give way to a new one.
  package static let wayGivers = 64
  /// How long accepting rests when the process is out of descriptors.
  package static let acceptRest = Duration.milliseconds(100)
}

/// Limits of a request's head. The defaults are what the product promises to accept.
package struct HeadLimits: Sendable {
  package var requestLineBytes = HTTPLimits.requestLineBytes
  package var fieldBytes = HTTPLimits.fieldBytes
  package var fields = HTTPLimits.fields
  package var allFieldsBytes = HTTPLimits.allFieldsBytes
  package var emptyLines = HTTPLimits.emptyLines

  package init() {}
}
