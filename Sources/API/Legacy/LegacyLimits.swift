/// Limits of the legacy API.
enum LegacyLimits {
  /// Maximum number of fields in a form, including repeated and empty ones. The largest controller has 31.
  static let fields = 100
  static let nameBytes = 64
  /// Maximum size of the headers of one part of a multipart form, in bytes.
  static let partHeaderBytes = 4096
  static let boundaryBytes = 70
  /// Maximum body of a CSV upload, in bytes: half a million lines of thirty bytes.
  static let uploadBytes = 16_777_216
  /// Maximum body of a send, in bytes: ten thousand recipients with long names.
  static let sendBytes = 4_194_304
  /// Maximum size in bytes of a form that is parsed on the HTTP loop, and so of all forms from devices: without a long
  /// MESSAGE, 31 fields have 10,000 bytes, or three times that percent-encoded. A server's larger forms are parsed on
  /// an admin thread, because checking ten thousand names takes long.
  static let loopFormBytes = 65_536
  /// Maximum size of the field MESSAGE in bytes. Text that does not fit into the payload is stored as a hosted page.
  static let messageBytes = 65_536
  /// Maximum number of groups or users in one answer; clients request the next ones.
  static let listedRows = 1000
  /// Maximum size in bytes of each of the sender's own fields that are stored with a message: CUST_KEY, SERVICECODE and
  /// CUST_VAR1 to 3.
  static let referenceBytes = 256
}
