internal import Domain
internal import HTTPServer
internal import Operations
package import Reactor
internal import Synchronization

/// What an answer in pieces tells. Whoever made it has checked that its caller may see it.
enum StreamSource: Sendable {
  /// The numbers of a message, as they change: server-sent events.
  case funnel(seqno: Int64)
  /// What happens in an app, nil: in all, as it changes.
  case overview(App.Number?)
  case file(Exporting)

  var headers: [(String, String)] {
    switch self {
    // What buffers on the way would hold events back; nginx heeds this.
    case .funnel, .overview: ServerSentEvent.headers + [("X-Accel-Buffering", "no")]
    case .file(let export):
      [
        ("Content-Type", "text/csv; charset=utf-8"), ("Cache-Control", "no-store"),
        ("Content-Disposition", "attachment; filename=\"\(export.name).csv\""), ("X-Content-Type-Options", "nosniff"),
      ]
    }
  }
}

/// The thread `admin-streams`: all answers that are written in pieces, of all HTTP loops. It produces the next piece of
/// each when its client has read the last, so a slow client costs neither memory nor a thread.
///
/// ```
///   admin-k: route, who?, may they? ──► open ──► piece ──read──► piece … ──► finished
///                                         │                        └─ client gone: forgotten
///                                         └ too many: 503          └─ database away: numbers wait, files are broken off
/// ```
/// A message, or an app, is looked at once for all who watch it. Each answer ends after a while: the browser comes back, and proves
/// anew who it is.
package final class AdminStreams: Sendable {
  /// How often it looks, and how long it goes on.
  package struct Times: Sendable {
    /// Between two looks at a message: twice a second is as fast as people read numbers.
    package var look = Duration.milliseconds(500)
    /// The same for a message that has ended, where only receipts and reads still come in, and for an overview.
    package var slowLook = Duration.seconds(2)
    /// Without any change after a message has ended, its watchers are told that this is the end.
    package var rest = Duration.seconds(600)
    /// Longest life of one answer: a session that is over, or a key that was revoked, sees no more after that.
    package var life = Duration.seconds(900)
    /// Silence after which a comment is sent, so that proxies do not close the connection.
    package var keepAlive = Duration.seconds(15)

    package init() {}
  }

  enum Word: Sendable {
    case open(StreamSource, TicketStream)
    /// Some client has read all that was written for it.
    case drained
  }

  private let inbox: Inbox<Word>
  private let count: Atomic<Int>

  package init(databaseURL: String, clock: any Clock, times: Times) throws(SystemError) {
    let inbox = try Inbox<Word>(capacity: 2 * Admin.Limits.streams)
    self.inbox = inbox
    count = Atomic(0)
    let closed: @Sendable () -> Void = { [weak self] in self?.count.subtract(1, ordering: .relaxed) }
    _ = try Thread(name: "admin-streams") {
      StreamLoop(inbox, databaseURL: databaseURL, clock: clock, times: times, closed: closed).run()
    }
  }

  deinit {
    inbox.close()
  }

  /// Begins an answer. False when too many are open.
  func open(_ source: StreamSource, _ ticket: ResponseTicket, isHead: Bool) -> Bool {
    if isHead {
      ticket.stream(status: .ok, headers: source.headers)?.finish()
      return true
    }
    guard !inbox.refusesAll else { return false }
    guard count.add(1, ordering: .relaxed).newValue <= Admin.Limits.streams else {
      count.subtract(1, ordering: .relaxed)
      return false
    }
    let inbox = inbox
    guard let stream = ticket.stream(status: .ok, headers: source.headers, drained: { _ = inbox.offer(.drained) })
    else {
      count.subtract(1, ordering: .relaxed)
      return true
    }
    if !inbox.offer(.open(source, stream)) {
      count.subtract(1, ordering: .relaxed)
      stream.abandon()
    }
    return true
  }

  /// Ends all of them, and takes no more.
  func stop() {
    inbox.close()
  }
}
