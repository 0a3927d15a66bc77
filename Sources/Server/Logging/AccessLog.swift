internal import HTTPServer
internal import Logging

/// A line for each request: at `info` where it is asked for, else at `debug`.
struct AccessLog {
  private let log = Logger(label: "access")
  private let level: Logger.Level

  /// Nil where nobody would read it.
  init?(isAskedFor: Bool) {
    level = isAskedFor ? .info : .debug
    guard level >= log.logLevel else { return nil }
  }

  func tell(_ answer: RequestMeter.Answer) {
    log.log(
      level: level, "answered",
      metadata: [
        "requestId": "\(answer.requestID)", "method": "\(answer.method)", "path": "\(answer.path)",
        "status": .stringConvertible(answer.status), "client": "\(answer.client)",
        "microseconds": .stringConvertible(
          answer.took.components.seconds * 1_000_000 + answer.took.components.attoseconds / 1_000_000_000_000),
      ])
  }
}
