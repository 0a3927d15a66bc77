/// Numbers of the legacy door: unit, reason.
enum LegacyLimits {
  /// Fields of one form, those counted that it repeats or leaves empty: the largest controller has 31.
  static let fields = 100
  static let nameBytes = 64
  /// Headers of one part of a multipart body, and the boundary (RFC 2046 §5.1.1).
  static let partHeaderBytes = 4096
  static let boundaryBytes = 70
  /// Body of a CSV upload: half a million lines of thirty bytes.
  static let uploadBytes = 16_777_216
  /// Body of a send: ten thousand recipients with long names.
  static let sendBytes = 4_194_304
  /// A form that is read and checked on the HTTP loop, hence any form of a device: its 31 fields have 10,000 bytes
  /// where no long MESSAGE is among them, and three times that percent-encoded. A server's larger ones go to a thread unread, for it takes long to look
  /// at ten thousand names.
  static let loopFormBytes = 65_536
  /// MESSAGE as it arrives; what has no room in the payload stands on a page.
  static let messageBytes = 65_536
  /// Rows of one answer.
  static let listedRows = 1000
  /// Names and variables of the sender that are kept with a message.
  static let referenceBytes = 256
}
