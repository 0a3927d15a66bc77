internal import HTTPServer
internal import Logging
internal import Reactor

/// A line for each request: at `info` where it is asked for, else at `debug`.
struct AccessLog {
  private enum Limits {
    /// Of what a caller calls its request.
    static let callerIDBytes = 64
  }

  private let log = Logger(label: "access")
  private let level: Logger.Level

  /// Nil where nobody would read it.
  init?(isAskedFor: Bool) {
    level = isAskedFor ? .info : .debug
    guard level >= log.logLevel else { return nil }
  }

  func tell(_ answer: RequestMeter.Answer) {
    var metadata: Logger.Metadata = [
      "requestId": "\(answer.requestID)", "method": "\(answer.method)", "path": "\(answer.path)",
      "status": .stringConvertible(answer.status), "client": "\(answer.client)",
      "microseconds": .stringConvertible(answer.took.nanoseconds / 1_000),
    ]
    if let id = answer.callerRequestID, Self.isPlain(id) { metadata["callerRequestId"] = "\(id)" }
    log.log(level: level, "answered", metadata: metadata)
  }

  /// Others choose it, so it is taken only in the form that such ids have: letters, digits, and what joins them.
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
