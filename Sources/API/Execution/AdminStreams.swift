internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor

/// The threads `admin-streams` and `admin-exports`: all answers of all HTTP loops that are written in pieces. They
/// produce the next piece of each when its client has read the last, so a slow client costs neither memory nor a
/// thread. Files have their own thread and connection, so that live numbers do not wait for a file's next page.
///
/// ```
///   admin-k: route, authenticate, authorize ──► a place ──► open ──► piece ──read──► piece … ──► finished: place freed
///                                                 │                                          └─ client gone: the same
///                                                 │       database away: numbers wait, files are broken off
///                                                 └ share is used up: 429, none left: 503
/// ```
/// A message, or an app, is queried once for all its viewers. Each answer ends after a while: the browser reconnects,
/// and is authenticated again.
final class AdminStreams: Sendable {
  /// Inbox and quota of one of the two threads.
  private struct StreamWorker: Sendable {
    let inbox: StreamInbox
    let places: StreamQuota

    init(_ shares: StreamQuota.Shares) throws(SystemError) {
      inbox = try StreamInbox(places: shares.all)
      places = StreamQuota(shares)
    }
  }

  private let live: StreamWorker
  private let exports: StreamWorker

  init(databaseURL: String, clock: any Clock, times: StreamTimes) throws(SystemError) {
    live = try StreamWorker(
      StreamQuota.Shares(
        all: AdminLimits.liveViews, ofTenant: AdminLimits.liveViewsOfTenant,
        ofCaller: AdminLimits.liveViewsOfCaller, name: "live views"))
    exports = try StreamWorker(
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

  private func worker(_ kind: StreamSource.Kind) -> StreamWorker {
    switch kind {
    case .live: live
    case .export: exports
    }
  }

  /// Reserves a place for one answer.
  /// - Throws: `.tooManyRequests` if the caller or its app has used its quota, `.busy` if no place is left.
  func place(_ kind: StreamSource.Kind, for party: QuotaHolder) throws(Problem) -> StreamPlace {
    try worker(kind).places.take(party)
  }

  /// Begins an answer. Returns false when the server is stopping.
  func open(
    _ kind: StreamSource.Kind, _ source: StreamSource, _ place: StreamPlace, _ ticket: ResponseTicket, isHead: Bool
  ) -> Bool {
    if isHead {
      ticket.stream(status: .ok, headers: source.headers)?.finish()
      return true
    }
    let inbox = worker(kind).inbox
    guard !inbox.refusesAll else { return false }
    let look: @Sendable () -> Void = { inbox.look() }
    let stream = ticket.stream(status: .ok, headers: source.headers, drained: look) {
      place.release()
      look()
    }
    if let stream, !inbox.open(StreamInbox.Opening(source: source, stream: stream)) { stream.abandon() }
    return true
  }

  /// Ends all streamed answers, and accepts no new ones.
  func stop() {
    live.inbox.close()
    exports.inbox.close()
  }
}
