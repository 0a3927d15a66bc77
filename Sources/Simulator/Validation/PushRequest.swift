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
      case 15: candidate = .expiration
      case 16: candidate = .collapseID
      default: return nil
      }
      guard ASCII.equal(name, candidate.name) else { return nil }
      self = candidate
    }
  }

  private var text = ByteBuffer(capacity: 1024)
  private var ranges: [Range<Int>] = Array(repeating: 0..<0, count: Field.allCases.count)
  private var present: UInt16 = 0
  /// Headers given more than once, one bit per field.
  private var repeated: UInt16 = 0
  private var body = ByteBuffer(capacity: 1024)
  /// Bytes of body that came; only as many as the largest payload and one more are kept.
  package private(set) var bodyBytes = 0

  /// Whether the provider asked that its token enters no compression table (RFC 7541, 6.2.3).
  package private(set) var isAuthorizationNeverIndexed = false

  package init() {}

  /// Forgets everything but the memory.
  package func reset() {
    text.removeAll()
    body.removeAll()
    present = 0
    repeated = 0
    bodyBytes = 0
    isAuthorizationNeverIndexed = false
  }

  package func append(name: Span<UInt8>, value: Span<UInt8>, isNeverIndexed: Bool = false) {
    guard let field = Field(name: name) else { return }
    if field == .authorization { isAuthorizationNeverIndexed = isNeverIndexed }
    let bit = UInt16(1) << field.rawValue
    guard present & bit == 0 else {
      repeated |= bit
      return
    }
    present |= bit
    let start = text.count
    text.append(value)
    ranges[field.rawValue] = start..<text.count
  }

  package func append(body bytes: Span<UInt8>) {
    bodyBytes += bytes.count
    let room = Simulator.Limits.voipPayloadBytes + 1 - body.count
    if room > 0 { body.append(bytes.count <= room ? bytes : bytes.extracting(0..<room)) }
  }

  /// Tells how long the body really was, when not all of it was kept.
  package func countBody(_ bytes: Int) {
    bodyBytes = max(bodyBytes, bytes)
  }

  package func has(_ field: Field) -> Bool { present & 1 << field.rawValue != 0 }

  /// True when a header of APNs was given twice.
  package var hasRepeatedHeader: Bool { repeated != 0 }

  /// Lends a header's value; nil when the request has none.
  package func with<Result>(_ field: Field, _ look: (Span<UInt8>) -> Result) -> Result? {
    guard has(field) else { return nil }
    let range = ranges[field.rawValue]
    return text.withReadable { look($0.extracting(range)) }
  }

  /// Lends the body.
  package func withBody<Result>(_ look: (Span<UInt8>) -> Result) -> Result {
    body.withReadable { look($0) }
  }

  package func string(_ field: Field) -> String? { with(field) { ASCII.string($0) } }
}
