internal import Domain
internal import HTTPServer
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor

/// The loop of the thread `admin-exports`: writes all open exports in turn, one piece of each. The object and its
/// connection are confined to the thread.
final class ExportLoop {
  /// A client that downloads a file.
  private struct Reader {
    var export: CSVExport
    let stream: TicketStream
    /// A piece that the response stream has not accepted yet; nil if the next one must be read from the database.
    var piece: [UInt8]?
  }

  private let inbox: StreamInbox
  private let database: OwnConnection
  private let times: StreamTimes
  private let log = Logger(label: "admin")
  private var readers: [Reader] = []
  /// True if a piece of the last turn was empty: nothing was written whose sending would wake the thread.
  private var goesOn = false

  /// Creates the loop.
  /// - Parameter times: `look` is the interval at which a piece that the stream did not accept is offered again.
  init(_ inbox: StreamInbox, databaseURL: String, times: StreamTimes) {
    self.inbox = inbox
    database = OwnConnection(
      databaseURL, AdminLimits.connectionOptions("admin exports", statementTimeout: times.exportStatement))
    self.times = times
  }

  /// Runs until the inbox is closed, then aborts all open exports. Blocks the thread.
  func run() {
    while true {
      let pause: Duration = goesOn ? .zero : readers.isEmpty ? .seconds(60) : times.look
      for opening in inbox.receive(atMost: pause) { take(opening) }
      if inbox.refusesAll { break }
      goesOn = false
      readers = readers.compactMap(writeNext)
    }
    for opening in inbox.takeAll() { take(opening) }
    for reader in readers { reader.stream.abandon() }
  }

  private func take(_ opening: StreamInbox.Opening) {
    guard case .file(let export) = opening.source else { preconditionFailure("numbers are not told here") }
    readers.append(Reader(export: export, stream: opening.stream))
  }

  /// Writes the next piece of a file if the client has read the last one. Returns nil if the export has ended: the file
  /// is complete, the client has disconnected, or the database failed, in which case the response is aborted.
  private func writeNext(_ reader: Reader) -> Reader? {
    var reader = reader
    guard reader.stream.isOpen else { return nil }
    guard reader.stream.isDrained else { return reader }
    guard let connection = try? database.present() else {
      reader.stream.abandon()
      return nil
    }
    do throws(Problem) {
      if reader.piece == nil { reader.piece = try reader.export.next(on: connection) }
      guard let piece = reader.piece else {
        reader.stream.finish()
        return nil
      }
      // A piece that the stream does not accept is offered again on the next turn. An empty one is none: the export
      // has searched without finding anything, and goes on at once.
      if piece.isEmpty { goesOn = true }
      if piece.isEmpty || reader.stream.write(piece) { reader.piece = nil }
      return reader
    } catch {
      // Abort the response, so that a partial file does not look complete.
      log.error("an export was broken off", metadata: ["code": "\(error.code.rawValue)", "detail": "\(error.detail)"])
      reader.stream.abandon()
      return nil
    }
  }
}
