internal import Domain
internal import Reactor

/// Thread `import-read`: parses and validates the lines of a file of registrations while earlier lines are imported.
///
/// ```
///   take(part) ──► parts ──► lines of the part, joined to the previous part's rest ──► read ──► next()
/// ```
/// The thread ends when this object is released.
final class InstalledReading: Sendable {
  /// A batch of parsed lines: valid ones and faults, each in their order. `count` includes them and the lines about
  /// other apps.
  struct Lines: Sendable {
    var count: Int64 = 0
    var good: [InstalledLine] = []
    var faults: [InstalledFault] = []
    var otherApps: Int64 = 0
  }

  private let parts: Inbox<CSVParts.Part>
  private let read: Inbox<[Lines]>

  /// Starts the thread.
  /// - Parameter reader: a reader that has read the beginning of the file. Its first line, the header, is skipped.
  init(behind reader: CSVReader, _ context: InstalledLine.Context) throws(Problem) {
    let first = reader.lines.dropFirst()
    let (rest, passed) = (reader.rest, reader.passed)
    do throws(SystemError) {
      let parts = try Inbox<CSVParts.Part>(capacity: Operations.Limits.installedParts)
      // One more than the parts, for the beginning of the file.
      let read = try Inbox<[Lines]>(capacity: Operations.Limits.installedParts + 1)
      (self.parts, self.read) = (parts, read)
      _ = try Thread(name: "import-read") {
        var (rest, passed) = (rest, passed)
        _ = read.offer(Self.read(first, context))
        while !parts.isClosed {
          for part in parts.receive(atMost: .seconds(60)) {
            let reader = CSVReader(rest + part.bytes, passed: passed, isLast: part.isLast)
            (rest, passed) = (reader.rest, reader.passed)
            _ = read.offer(Self.read(reader.lines[...], context))
          }
        }
      }
    } catch {
      throw Problem(.internalError, "The file cannot be read: \(error).")
    }
  }

  deinit {
    parts.close()
  }

  /// Passes the next part to the thread. Traps if more than `installedParts` parts wait to be parsed; the caller must
  /// let no more be outstanding.
  func take(_ part: CSVParts.Part) {
    let isTaken = parts.offer(part)
    precondition(isTaken, "more parts than are read at once")
  }

  /// Returns the lines parsed since the last call: one element for the beginning of the file and for each part, in
  /// their order, each divided into batches. Blocks until at least one element is available, so call it only while
  /// parts are outstanding.
  func next() -> [[Lines]] {
    var arrived: [[Lines]] = []
    while arrived.isEmpty { arrived = read.receive(atMost: .seconds(60)) }
    return arrived
  }

  private static func read(_ lines: ArraySlice<CSVReader.Line>, _ context: InstalledLine.Context) -> [Lines] {
    stride(from: lines.startIndex, to: lines.endIndex, by: Operations.Limits.installedLines).map { start in
      var some = Lines()
      for line in lines[start..<min(start + Operations.Limits.installedLines, lines.endIndex)] {
        some.count += 1
        switch read(line, context) {
        case .success(let read?): some.good.append(read)
        case .success(nil): some.otherApps += 1
        case .failure(let fault): some.faults.append(fault)
        }
      }
      return some
    }
  }

  private static func read(
    _ line: CSVReader.Line, _ context: InstalledLine.Context
  ) -> Result<InstalledLine?, InstalledFault> {
    switch line.record {
    case .fields(let fields): InstalledLine.read(fields, line: line.number, context)
    case .faulty(let what):
      .failure(
        InstalledFault(
          line: line.number, column: "", what: what.english,
          remedy: "Look at the line with an editor, or export it again."))
    }
  }
}

extension Operations.Limits {
  /// Maximum number of parts passed to the thread whose lines have not been returned.
  static let installedParts = 2
  /// Maximum number of lines per batch, whose rows are locked for a fraction of a second.
  static let installedLines = 5_000
}
