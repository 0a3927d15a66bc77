/// One request that is malformed, ambiguous or abusive: its bytes, the rule that judges it, and exactly what must come
/// of it. The same table is asked of the engine, of the engine behind other people's proxies, and seeds the fuzzer.
struct HostileRequest: Sendable {
  enum Ending: Sendable {
    /// What follows on the connection is a request of its own.
    case kept
    /// The server closes, and nothing that follows is read as a request.
    case closed
    /// The server waits for the rest; nothing is answered.
    case awaited
  }

  let name: String
  let bytes: [UInt8]
  /// The statuses answered, in order.
  let answers: [Int]
  /// What the handler is given, in order: `METHOD path?query body`.
  let seen: [String]
  let ending: Ending
  /// The section of a specification, or the published class of request smuggling.
  let rule: String

  /// Refused with `status`: no handler sees anything, and the connection closes.
  static func refused(_ name: String, bytes: [UInt8], _ status: Int, _ rule: String) -> HostileRequest {
    HostileRequest(name: name, bytes: bytes, answers: [status], seen: [], ending: .closed, rule: rule)
  }

  static func refused(_ name: String, _ text: String, _ status: Int, _ rule: String) -> HostileRequest {
    refused(name, bytes: Array(text.utf8), status, rule)
  }

  static func refused(_ name: String, _ text: String, _ rule: String) -> HostileRequest {
    refused(name, bytes: Array(text.utf8), 400, rule)
  }

  /// Looks odd, but can be understood in one way only.
  static func understood(
    _ name: String, _ text: String, _ seen: [String], ending: Ending = .kept, answers: [Int]? = nil, _ rule: String
  ) -> HostileRequest {
    HostileRequest(
      name: name, bytes: Array(text.utf8), answers: answers ?? seen.map { _ in 200 }, seen: seen, ending: ending,
      rule: rule)
  }

  // MARK: Building blocks

  static func get(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n" }
  /// A GET with one more header line, or several.
  static func field(_ lines: String) -> String { "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n" }
  /// A GET with exactly these header lines, each with its line break.
  static func host(_ lines: String) -> String { "GET / HTTP/1.1\r\n\(lines)\r\n" }
  static func chunked(_ body: String) -> String {
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
  }
  /// A POST with one more header line, or several, and a body.
  static func post(_ fields: String, _ body: String = "hello") -> String {
    "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n\(body)"
  }

  /// Those that cannot be understood, or only in several ways.
  static let malformed =
    requestLines + targets + fields + framing + chunks + smuggling + smugglingChunks
    + foreign
  /// Those that look odd and yet have one meaning.
  static let unambiguous = odd + oddBodies + sequences + foreignButClear
  static let all = malformed + unambiguous
}
