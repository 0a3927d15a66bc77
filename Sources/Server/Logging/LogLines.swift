internal import Operations
internal import JSON
package import Logging
internal import Reactor

/// Log lines on standard error: text for people, JSON for collectors. One `write` per line, so lines never mix.
package struct LogLines: LogHandler {
  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]
  private let label: String
  private let format: Configuration.LogFormat

  /// Sets up logging for the whole process. Call it once, first.
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
    let all = metadata.merging(event.metadata ?? [:]) { _, new in new }.sorted { $0.key < $1.key }
    let time = Timestamp.text(SystemClock().wallMicroseconds)
    var line: [UInt8]
    switch format {
    case .json:
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("time", time)
        writer.member("level", event.level.rawValue)
        writer.member("part", label)
        writer.member("message", LogLine.bounded("\(event.message)"))
        for (key, value) in all { writer.member(key, LogLine.bounded("\(value)")) }
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
}
