internal import Domain
internal import HTTPServer
internal import Operations
internal import Postgres
internal import Reactor
internal import Time

/// The loop of the thread `admin-streams`: queries the numbers that clients watch, and sends them to these clients
/// whenever they change. The object and its connection are confined to the thread.
final class StreamLoop {
  /// The object whose numbers a viewer watches.
  private enum Subject: Hashable {
    case message(Seqno)
    /// The overview of an app, or of all apps if the number is nil.
    case overview(App.Number?)

    var event: String {
      switch self {
      case .message: "funnel"
      case .overview: "overview"
      }
    }
  }

  /// A client that watches a subject.
  private struct Viewer {
    let subject: Subject
    let stream: TicketStream
    let openedAt: Instant
    var shown: [UInt8] = []
    var writtenAt: Instant
  }

  /// State of a subject that at least one client watches.
  private struct Watched {
    /// The numbers of the last successful query as JSON; empty before the first one.
    var numbers: [UInt8] = []
    var isFinal = false
    var changedAt: Instant
    /// Earliest time of the next query; nil before the first one.
    var nextLook: Instant?
  }

  private let inbox: StreamInbox
  private let database: OwnConnection
  private let clock: any Clock
  private let times: StreamTimes
  private var viewers: [Viewer] = []
  private var watched: [Subject: Watched] = [:]

  init(_ inbox: StreamInbox, databaseURL: String, clock: any Clock, times: StreamTimes) {
    self.inbox = inbox
    database = OwnConnection(
      databaseURL,
      AdminLimits.connectionOptions("admin streams", statementTimeout: AdminLimits.liveStatementTimeout))
    self.clock = clock
    self.times = times
  }

  /// Runs until the inbox is closed, then ends all open answers. Blocks the thread.
  func run() {
    while true {
      for opening in inbox.receive(atMost: viewers.isEmpty ? .seconds(60) : times.look) { take(opening) }
      if inbox.refusesAll { break }
      turn(clock.now)
    }
    for opening in inbox.takeAll() { take(opening) }
    for viewer in viewers { viewer.stream.finish() }
  }

  private func take(_ opening: StreamInbox.Opening) {
    switch opening.source {
    case .file: preconditionFailure("files are not written here")
    case .funnel(let seqno): watch(.message(seqno), opening.stream)
    case .overview(let app): watch(.overview(app), opening.stream)
    }
  }

  private func watch(_ subject: Subject, _ stream: TicketStream) {
    let now = clock.now
    viewers.append(Viewer(subject: subject, stream: stream, openedAt: now, writtenAt: now))
    if watched[subject] == nil { watched[subject] = Watched(changedAt: now) }
  }

  private func turn(_ now: Instant) {
    for subject in watched.keys { look(at: subject, now) }
    viewers = viewers.compactMap { show($0, now) }
    let seen = Set(viewers.map(\.subject))
    watched = watched.filter { seen.contains($0.key) }
  }

  /// Queries the numbers of a subject if its next query is due, and schedules the one after. If the query fails, the
  /// last numbers stay.
  private func look(at subject: Subject, _ now: Instant) {
    guard var one = watched[subject] else { return }
    let isSlow = if case .overview = subject { true } else { one.isFinal }
    if let nextLook = one.nextLook, now < nextLook { return }
    let began = clock.now
    // Without a database, viewers keep the last numbers and wait.
    if let connection = try? database.present(), let answer = Self.ask(about: subject, connection, clock.wallTime) {
      if answer.numbers != one.numbers {
        one.numbers = answer.numbers
        one.changedAt = now
      }
      one.isFinal = answer.isFinal
    }
    one.nextLook = Self.nextLook(from: began, to: clock.now, pause: isSlow ? times.slowLook : times.look)
    watched[subject] = one
  }

  /// Returns the earliest time of the next query: `pause` after the end of the last one, or later if the last one was
  /// slow (`AdminLimits.liveRest`).
  static func nextLook(from began: Instant, to ended: Instant, pause: Duration) -> Instant {
    ended + max(pause, (ended - began) * AdminLimits.liveRest)
  }

  private static func ask(
    about subject: Subject, _ connection: Connection, _ wallTime: Timestamp
  ) -> (numbers: [UInt8], isFinal: Bool)? {
    switch subject {
    case .message(let seqno):
      ReportService.watched(seqno, on: connection).map { ($0.json, $0.funnel.state.isFinal) }
    case .overview(let app):
      Overview.watched(app, on: connection, now: wallTime).map { ($0.json, false) }
    }
  }

  /// Sends the viewer what is due, if the client has read everything so far: changed numbers, the event `end` once the
  /// final numbers have been unchanged for `StreamTimes.rest`, or a comment to keep the connection open. Returns the
  /// viewer's new state; nil if its answer has ended: after `end`, after `StreamTimes.life`, or because the client has
  /// disconnected.
  private func show(_ viewer: Viewer, _ now: Instant) -> Viewer? {
    var viewer = viewer
    guard viewer.stream.isOpen, let one = watched[viewer.subject] else { return nil }
    // A slow client skips intermediate numbers: it gets the newest ones when it has read the last.
    guard viewer.stream.isDrained else { return viewer }
    if one.numbers != viewer.shown {
      guard viewer.stream.write(Self.event(viewer.subject.event, one.numbers)) else { return viewer }
      (viewer.shown, viewer.writtenAt) = (one.numbers, now)
    } else if one.isFinal, now - one.changedAt >= times.rest {
      viewer.stream.write(Self.event("end", one.numbers))
      viewer.stream.finish()
      return nil
    } else if now - viewer.writtenAt >= times.keepAlive {
      viewer.stream.write(ServerSentEvent.keepAlive)
      viewer.writtenAt = now
    }
    guard now - viewer.openedAt < times.life else {
      viewer.stream.finish()
      return nil
    }
    return viewer
  }

  private static func event(_ name: String, _ json: [UInt8]) -> String {
    ServerSentEvent(event: name, data: String(decoding: json, as: UTF8.self)).text
  }
}
