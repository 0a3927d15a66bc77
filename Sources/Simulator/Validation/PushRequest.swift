internal import Reactor

/// A request as received: the headers that APNs evaluates, and the body.
///
/// The object is reused for each request to avoid allocations: header values are appended to one buffer and found by
/// field. Other headers are ignored, as Apple does. One owner, one thread.
package final class PushRequest {
  /// The headers that APNs evaluates.
  package enum Field: Int, CaseIterable, Sendable {
    case method, scheme, path, authority, host, authorization
    case id, topic, pushType, priority, expiration, collapseID
    case channelID, requestID

    /// Name of the header, in lower case.
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

    /// Parses a lower-case header name. Returns nil for a header that APNs ignores.
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

  /// All mutable state in one value, because each access to a class property costs a run-time check.
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

  /// Clears the request but keeps the allocated memory.
  package func reset() {
    contents.reset()
  }

  /// Adds a header if APNs evaluates it. A second one with the same name only sets `hasRepeatedHeader`.
  package func append(name: Span<UInt8>, value: Span<UInt8>, isNeverIndexed: Bool = false) {
    guard let field = Field(name: name) else { return }
    contents.append(field, value, isNeverIndexed: isNeverIndexed)
  }

  package func append(body bytes: Span<UInt8>) {
    contents.bodyBytes += bytes.count
    let room = Limits.voipPayloadBytes + 1 - contents.body.count
    if room > 0 { contents.body.append(bytes.count <= room ? bytes : bytes.extracting(0..<room)) }
  }

  /// Raises the body's length to its actual size in bytes, if only a part of it was stored.
  package func countBody(_ bytes: Int) {
    contents.bodyBytes = max(contents.bodyBytes, bytes)
  }

  /// True if a header that APNs evaluates was repeated.
  package var hasRepeatedHeader: Bool { contents.hasRepeatedHeader }

  /// True if the provider sent its token as a never-indexed header (RFC 7541, 6.2.3).
  package var isAuthorizationNeverIndexed: Bool { contents.isAuthorizationNeverIndexed }

  /// Length of the body received, in bytes. Only the largest payload plus one byte is stored.
  package var bodyBytes: Int { contents.bodyBytes }

  /// Returns the result of `look` for a header's value; nil if the header is absent.
  package func with<Result>(_ field: Field, _ look: (Span<UInt8>) -> Result) -> Result? {
    contents.with(field, look)
  }

  /// Returns the result of `look` for the stored part of the body.
  package func withBody<Result>(_ look: (Span<UInt8>) -> Result) -> Result {
    contents.body.withReadable { look($0) }
  }
}
