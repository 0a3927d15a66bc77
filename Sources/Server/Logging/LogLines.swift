internal import Domain
internal import Operations
internal import JSON
package import Logging
internal import Reactor
internal import Time

/// Writes log lines to standard error, as text for people or JSON for log collectors. Each is a single `write`, so
/// lines of different threads never mix.
package struct LogLines: LogHandler {
  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]
  private let label: String
  private let format: Configuration.LogFormat
  private static let repeated = RepeatedLines()

  /// Configures logging for the process. Call it once, before anything logs.
  package static func bootstrap(level: String, format: Configuration.LogFormat) {
    let level = Logger.Level(rawValue: level) ?? .info
    LoggingSystem.bootstrap { LogLines(logLevel: level, label: $0, format: format) }
  }

  private init(logLevel: Logger.Level, label: String, format: Configuration.LogFormat) {
    self.logLevel = logLevel
    self.label = label
    self.format = format
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var all = metadata.merging(event.metadata ?? [:]) { _, new in new }
    let fault = all["fault"].map { "fault \($0)" }
    if event.level >= .warning {
      // A repeated line is recognized by its text regardless of the label, and one with a fault's name by that name
      // alone.
      let line = fault ?? LogLine.bounded("\(event.message) \(all.sorted { $0.key < $1.key })")
      guard case .write(let repeated) = Self.repeated.judge(line, at: SystemClock().now) else { return }
      if repeated > 0 { all["repeated"] = .stringConvertible(repeated) }
    } else if let fault, let repeated = Self.repeated.end(fault, at: SystemClock().now), repeated > 0 {
      all["repeated"] = .stringConvertible(repeated)
    }
    write(event, all.sorted { $0.key < $1.key })
  }

  private func write(_ event: LogEvent, _ all: [(key: String, value: Logger.MetadataValue)]) {
    let time = SystemClock().wallTime.description
    var line: [UInt8]
    switch format {
    case .json:
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("time", time)
        writer.member("level", event.level.rawValue)
        writer.member("part", label)
        writer.member("message", LogLine.bounded("\(event.message)"))
        for (key, value) in all {
          if let number = Self.number(value) {
            writer.member(key, raw: number)
          } else {
            writer.member(key, LogLine.bounded("\(value)"))
          }
        }
      }
      line = writer.bytes
    case .text:
      line = Array(
        LogLine.text(
          time: time, level: event.level.rawValue, part: label, message: "\(event.message)",
          details: all.map { ($0.key, "\($0.value)") }
        ).utf8)
    }
    line.append(UInt8(ascii: "\n"))
    StandardError.write(line)
  }

  /// Returns the decimal text of a value that is a number; nil for other values.
  private static func number(_ value: Logger.MetadataValue) -> String? {
    guard case .stringConvertible(let value) = value else { return nil }
    return switch value {
    case let number as any BinaryInteger: number.description
    case let number as any RowNumber: number.description
    default: nil
    }
  }
}
