internal import Reactor

/// One request as it came over the wire: the headers that APNs knows, and the body.
///
/// Reused from request to request, so that a steady connection allocates nothing: headers are appended to one run of
/// bytes and found again by field. Headers that APNs does not know are ignored, as Apple does. One owner, one thread.
package final class PushRequest {
  /// The headers that validation looks at.
  package enum Field: Int, CaseIterable, Sendable {
    case method, scheme, path, authority, host, authorization
    case id, topic, pushType, priority, expiration, collapseID
    case channelID, requestID

    /// The name on the wire.
    package var name: String {
      switch self {
      case .method: ":method"
      case .scheme: ":scheme"
      case .path: ":path"
      case .authority: ":authority"
      case .host: "host"
      case .authorization: "authorization"
      case .id: "apns-id"
      case .topic: "apns-topic"
      case .pushType: "apns-push-type"
      case .priority: "apns-priority"
      case .expiration: "apns-expiration"
      case .collapseID: "apns-collapse-id"
      case .channelID: "apns-channel-id"
      case .requestID: "apns-request-id"
      }
    }

    /// Recognises a lower-case header name; nil for one that APNs ignores.
    init?(name: Span<UInt8>) {
      let candidate: Field
      switch name.count {
      case 4: candidate = .host
      case 5: candidate = .path
      case 7: candidate = name[0] == 0x61 ? .id : name[1] == 0x6D ? .method : .scheme
      case 10: candidate = name[0] == 0x3A ? .authority : .topic
      case 13: candidate = name[1] == 0x75 ? .authorization : .priority
      case 14: candidate = .pushType
      case 15: candidate = name[5] == 0x65 ? .expiration : name[5] == 0x63 ? .channelID : .requestID
      case 16: candidate = .collapseID
      default: return nil
      }
      guard ASCII.equal(name, candidate.name) else { return nil }
      self = candidate
    }
  }

  /// All that changes, in one value: each use of a property of a class is checked, so there is only one.
  private struct Contents: ~Copyable {
    var text = ByteBuffer(capacity: 1024)
    var ranges = InlineArray<14, Range<Int>>(repeating: 0..<0)
    var present: UInt16 = 0
    var hasRepeatedHeader = false
    var isAuthorizationNeverIndexed = false
    var body = ByteBuffer(capacity: 1024)
    var bodyBytes = 0

    mutating func reset() {
      text.removeAll()
      body.removeAll()
      present = 0
      hasRepeatedHeader = false
      isAuthorizationNeverIndexed = false
      bodyBytes = 0
    }

    mutating func append(_ field: Field, _ value: Span<UInt8>, isNeverIndexed: Bool) {
      let bit = UInt16(1) << field.rawValue
      guard present & bit == 0 else {
        hasRepeatedHeader = true
        return
      }
      present |= bit
      if field == .authorization { isAuthorizationNeverIndexed = isNeverIndexed }
      let start = text.count
      text.append(value)
      ranges[field.rawValue] = start..<text.count
    }

    func with<Result>(_ field: Field, _ look: (Span<UInt8>) -> Result) -> Result? {
      guard present & 1 << field.rawValue != 0 else { return nil }
      let range = ranges[field.rawValue]
      return text.withReadable { look($0.extracting(range)) }
    }
  }

  private var contents = Contents()

  package init() {}

  /// Forgets everything but the memory.
  package func reset() {
    contents.reset()
  }

  /// Adds a header, if it is one that APNs knows; a second of the same name is only noted.
  package func append(name: Span<UInt8>, value: Span<UInt8>, isNeverIndexed: Bool = false) {
    guard let field = Field(name: name) else { return }
    contents.append(field, value, isNeverIndexed: isNeverIndexed)
  }

  package func append(body bytes: Span<UInt8>) {
    contents.bodyBytes += bytes.count
    let room = Limits.voipPayloadBytes + 1 - contents.body.count
    if room > 0 { contents.body.append(bytes.count <= room ? bytes : bytes.extracting(0..<room)) }
  }

  /// Tells how long the body really was, when not all of it was kept.
  package func countBody(_ bytes: Int) {
    contents.bodyBytes = max(contents.bodyBytes, bytes)
  }

  /// A header of APNs was given twice.
  package var hasRepeatedHeader: Bool { contents.hasRepeatedHeader }

  /// The provider asked that its token enters no compression table (RFC 7541, 6.2.3).
  package var isAuthorizationNeverIndexed: Bool { contents.isAuthorizationNeverIndexed }

  /// Bytes of body that came; only as many as the largest payload and one more are kept.
  package var bodyBytes: Int { contents.bodyBytes }

  /// Lends a header's value; nil when the request has none.
  package func with<Result>(_ field: Field, _ look: (Span<UInt8>) -> Result) -> Result? {
    contents.with(field, look)
  }

  /// Lends the body.
  package func withBody<Result>(_ look: (Span<UInt8>) -> Result) -> Result {
    contents.body.withReadable { look($0) }
  }
}
