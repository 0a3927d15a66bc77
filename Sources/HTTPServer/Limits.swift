internal import Reactor

/// Limits of this module, with their units and, unless obvious, their reasons.
package enum HTTPLimits {
  /// Maximum length of a request line in bytes, without CR LF; RFC 9112 §3 recommends at least 8,000.
  static let requestLineBytes = 8_000
  /// Maximum length of a header line in bytes, without CR LF: well above cookies and tokens, and about the limit of
  /// nginx and Apache.
  package static let fieldBytes = 8_192
  /// Maximum number of header lines in a request.
  package static let fields = 100
  /// Maximum total length of a request's header lines in bytes, without CR LF.
  static let allFieldsBytes = 65_536
  /// Maximum number of empty lines before a request (RFC 9112 §2.2 recommends tolerating at least one).
  static let emptyLines = 2
  /// Default of `HTTPServer.Configuration.bodyBytes`.
  package static let bodyBytes = 1_048_576
  /// Content-Length in bytes up to which a body is accepted without asking the handler, unless the server's body limit
  /// is lower; nearly all requests are smaller. The handler is asked about every chunked body.
  package static let unaskedBodyBytes = 16_384
  /// Default memory budget in bytes for large requests that are being received or processed: five of the largest
  /// videos, or several hundred long recipient lists.
  package static let bodyMemoryBytes = 268_435_456
  /// Default disk budget in bytes for spooled bodies: forty of the largest videos.
  package static let spoolBytes = 2_147_483_648
  /// Size in bytes up to which a request does not count towards the memory budget: a request with a hundred receipts
  /// is smaller.
  static let freeBodyBytes = 16_384
  /// Maximum total length of a body's chunk extensions in bytes, and of each chunk size line without CR LF. Extensions
  /// are practically unused; more indicates an attack.
  static let chunkExtensionBytes = 4_096
  /// Maximum total length of the trailer lines after a chunked body in bytes. They are checked and discarded.
  package static let trailerBytes = 8_192
  /// Free buffer space in bytes for a read to which `bodyReadBytes` does not apply: enough for a typical request, and
  /// most pipelined ones.
  static let readBytes = 4_096
  /// Maximum free buffer space in bytes for a read while a body of known length arrives, or while input after the last
  /// response is discarded.
  static let bodyReadBytes = 65_536
  /// Initial size of a connection's output buffer in bytes.
  static let idleOutputBytes = 512
  /// Unsent response bytes at which a connection stops handling further requests until it has sent some.
  package static let outputBytes = 262_144
  /// Default of `HTTPServer.Configuration.outputMemoryBytes`. Five hundred clients that do not read reach it.
  package static let allOutputBytes = 134_217_728
  /// Pipelined input in bytes at which the server stops reading a socket until the current request is answered. No
  /// budget counts this input, so it is no more than what a connection may hold uncounted anyway.
  static let pipelinedBytes = freeBodyBytes
  /// Size in bytes from which the body of a `Response` is sent without a copy; a smaller body is appended to its head.
  static let detachedBodyBytes = 16_384
  /// Size of an idle connection's input buffer in bytes.
  package static let restingBufferBytes = 64
  /// Memory of an idle connection in bytes, including the kernel's file object, rounded up. Measured: 1.7 KiB.
  package static let connectionBytes = 2_560
  /// Memory of an idle TLS connection in bytes: OpenSSL adds an object of 7.6 KiB and what it refers to. Measured: 17
  /// KiB.
  package static let secureConnectionBytes = 20_480
  /// Size in bytes above which an output buffer is released once it is empty, and an input buffer once its large
  /// request has been handled.
  static let idleBufferBytes = 16_384
  /// Unsent bytes of a connection above which the client of a streamed response is disconnected as too slow.
  static let streamBytes = 4_194_304
  /// Maximum bytes that a client may send after the last response before it is disconnected.
  static let lingerBytes = 4_194_304
  /// Number of connections that can be open beyond the limit at a time, to answer them 503. Further ones wait in the
  /// kernel's queue.
  package static let refusals = 64
  /// Maximum connections accepted per loop iteration, so that a flood of them does not starve the open ones.
  static let acceptsPerTurn = 64
  /// Time for which a server that shuts down still accepts connections whose TCP handshake is in progress: a round trip
  /// around the world.
  static let lastAccepts = Duration.milliseconds(300)
  /// Maximum length of a PROXY protocol header in bytes. Addresses end at byte 232; cloud providers add several hundred
  /// bytes of extensions.
  static let proxyHeaderBytes = 4_096
  /// Burst allowance of a client address: as many requests as its average rate permits in this time may come at once.
  static let requestCredit = Duration.seconds(2)
  /// Maximum connection slots examined to find an idle connection that can be closed for a new one.
  static let evictionCandidates = 64
  /// Pause of accepting when the process has no free descriptors, or the kernel no memory.
  static let acceptRest = Duration.milliseconds(100)
}

/// Limits on a request's head. The defaults are what the product guarantees to accept.
package struct HeadLimits: Sendable {
  package var requestLineBytes = HTTPLimits.requestLineBytes
  package var fieldBytes = HTTPLimits.fieldBytes
  package var fields = HTTPLimits.fields
  package var allFieldsBytes = HTTPLimits.allFieldsBytes
  package var emptyLines = HTTPLimits.emptyLines

  package init() {}
}
