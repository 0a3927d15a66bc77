internal import HTTPServer
internal import Logging
internal import Reactor
internal import Tracing

/// Logs one line per request: at `info` when `UPMC_ACCESS_LOG` is set, else at `debug`.
struct AccessLog {
  private enum Limits {
    /// Maximum length in bytes of a request id that a client may choose.
    static let callerIDBytes = 64
  }

  private let log = Logger(label: "access")
  private let level: Logger.Level

  /// Creates the log; nil when lines at this level would not be logged.
  init?(isAskedFor: Bool) {
    level = isAskedFor ? .info : .debug
    guard level >= log.logLevel else { return nil }
  }

  func tell(_ answer: RequestMeter.Answer) {
    var metadata: Logger.Metadata = [
      "requestId": "\(answer.requestID)", "method": "\(answer.asked.method)",
      "path": "\(Self.masked(answer.asked.path))", "status": .stringConvertible(answer.status),
      "client": "\(answer.asked.client)",
      "microseconds": .stringConvertible(answer.took.nanoseconds / 1_000),
    ]
    if let id = answer.asked.callerRequestID, Self.isPlain(id) { metadata["callerRequestId"] = "\(id)" }
    if let trace = answer.asked.trace { metadata["traceId"] = "\(trace.traceID)" }
    log.log(level: level, "answered", metadata: metadata)
  }

  /// Replaces names of people and devices in a path; only our own words and message numbers stay. Logs are kept for
  /// longer than personal data.
  static func masked(_ path: String) -> String {
    var before: Substring = ""
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      defer { before = part }
      let isWord = part.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x2D || $0 == 0x2E } || part == "v1"
      let isNumber = part.utf8.allSatisfy { (0x30...0x39).contains($0) }
      let namesSomebody = ["users", "devices", "people", "groups", "tags"].contains(before)
      return isWord && !namesSomebody || isNumber && before == "messages" ? part : "*"
    }
    return parts.joined(separator: "/")
  }

  /// Returns true if a request id chosen by the client has the usual form: letters, digits and separators.
  static func isPlain(_ id: String) -> Bool {
    (1...Limits.callerIDBytes).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
          UInt8(ascii: ":"):
          true
        default: false
        }
      }
  }
}
