internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor

/// The threads `admin-streams` and `admin-exports`: all answers that are written in pieces, of all HTTP loops. They produce the
/// next piece of each when its client has read the last, so a slow client costs neither memory nor a thread. Files have a
/// thread and a connection of their own, so that numbers come while a file's next page is being read.
///
/// ```
///   admin-k: route, who?, may they? ──► a place ──► open ──► piece ──read──► piece … ──► finished: the place is free
///                                         │                                └─ client gone: the same
///                                         │       database away: numbers wait, files are broken off
///                                         └ its share is used up: 429, none left: 503
/// ```
/// A message, or an app, is looked at once for all who watch it. Each answer ends after a while: the browser comes back, and proves
/// anew who it is.
final class AdminStreams: Sendable {
  /// What one of the threads is told, and how many it works for.
  private struct Desk: Sendable {
    let inbox: StreamInbox
    let places: StreamQuota

    init(_ shares: StreamQuota.Shares) throws(SystemError) {
      inbox = try StreamInbox(places: shares.all)
      places = StreamQuota(shares)
    }
  }

  private let live: Desk
  private let exports: Desk

  init(databaseURL: String, clock: any Clock, times: StreamTimes) throws(SystemError) {
    live = try Desk(
      StreamQuota.Shares(
        all: AdminLimits.liveViews, ofTenant: AdminLimits.liveViewsOfTenant,
        ofCaller: AdminLimits.liveViewsOfCaller, name: "live views"))
    exports = try Desk(
      StreamQuota.Shares(
        all: AdminLimits.exports, ofTenant: AdminLimits.exportsOfTenant, ofCaller: AdminLimits.exportsOfCaller,
        name: "exports"))
    let (views, files) = (live.inbox, exports.inbox)
    _ = try Thread(name: "admin-streams") {
      StreamLoop(views, databaseURL: databaseURL, clock: clock, times: times).run()
    }
    _ = try Thread(name: "admin-exports") { ExportLoop(files, databaseURL: databaseURL, look: times.look).run() }
  }

  deinit {
    stop()
  }

  private func desk(_ kind: StreamSource.Kind) -> Desk {
    switch kind {
    case .live: live
    case .export: exports
    }
  }

  /// A place for one answer.
  /// - Throws: `.tooManyRequests` when the caller or its app has its share, `.busy` when none is left.
  func place(_ kind: StreamSource.Kind, for party: QuotaHolder) throws(Problem) -> StreamPlace {
    try desk(kind).places.take(party)
  }

  /// Begins an answer. False when the server stops.
  func open(
    _ kind: StreamSource.Kind, _ source: StreamSource, _ place: StreamPlace, _ ticket: ResponseTicket, isHead: Bool
  ) -> Bool {
    if isHead {
      ticket.stream(status: .ok, headers: source.headers)?.finish()
      return true
    }
    let inbox = desk(kind).inbox
    guard !inbox.refusesAll else { return false }
    let look: @Sendable () -> Void = { inbox.look() }
    let stream = ticket.stream(status: .ok, headers: source.headers, drained: look) {
      place.giveBack()
      look()
    }
    if let stream, !inbox.open(StreamInbox.Opening(source: source, stream: stream)) { stream.abandon() }
    return true
  }

  /// Ends all of them, and takes no more.
  func stop() {
    live.inbox.close()
    exports.inbox.close()
  }
}
