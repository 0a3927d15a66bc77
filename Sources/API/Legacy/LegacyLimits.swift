/// Numbers of the legacy API: unit, reason.
enum LegacyLimits {
  /// Fields per form, repeated and empty ones included: the largest controller has 31.
  static let fields = 100
  static let nameBytes = 64
  /// Headers of one multipart part, and the boundary (RFC 2046 §5.1.1), in bytes.
  static let partHeaderBytes = 4096
  static let boundaryBytes = 70
  /// Body of a CSV upload: half a million lines of thirty bytes.
  static let uploadBytes = 16_777_216
  /// Body of a send: ten thousand recipients with long names.
  static let sendBytes = 4_194_304
  /// Largest form that is read and checked on the HTTP loop, hence the largest of a device: without a long MESSAGE its
  /// 31 fields have 10,000 bytes, three times that percent-encoded. A server's larger forms go to a thread unread,
  /// because checking ten thousand names takes long.
  static let loopFormBytes = 65_536
  /// MESSAGE as it arrives; what does not fit into the payload goes to a hosted page.
  static let messageBytes = 65_536
  /// Most rows in one answer.
  static let listedRows = 1000
  /// The sender's own names and variables, kept with a message.
  static let referenceBytes = 256
}
