internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor

/// The threads `admin-streams` and `admin-exports`, which write the streamed answers of all HTTP loops: live views and
/// exports. They produce the next piece of an answer when its client has read the last one, so a slow client costs
/// neither memory nor a thread. Exports have their own thread and connection, so that live views do not wait for them.
/// Callable from any thread.
///
/// ```
///   admin-k: route, authenticate, authorize ──► a place ──► open ──► piece ──read──► piece … ──► finished: place freed
///                                                 │                                          └─ client gone: the same
///                                                 │       database away: numbers wait, files are broken off
///                                                 └ quota is used up: 429, none left: 503
/// ```
/// The numbers of a message or an app are queried once for all their viewers. A live view ends after
/// `StreamTimes.life`: the browser reconnects, and is authenticated again.
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
    _ = try Thread(name: "admin-exports") { ExportLoop(files, databaseURL: databaseURL, times: times).run() }
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

  /// Reserves a place for one answer. The place is released with the last reference to it.
  /// - Throws: `.tooManyRequests` if the caller or its tenant has used its quota, `.busy` if no place is left.
  func place(_ kind: StreamSource.Kind, for party: QuotaHolder) throws(Problem) -> StreamPlace {
    try worker(kind).places.take(party)
  }

  /// Begins a streamed answer, and releases `place` when the answer ends. Returns false, without answering, if the
  /// server is stopping. Returns true also if the client gets no complete answer, because it has disconnected or the
  /// thread's inbox is full.
  /// - Parameter isHead: true to send only the headers, for a HEAD request.
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

  /// Makes the threads end all streamed answers, and then themselves. Open exports are aborted. Does not wait for that.
  /// From now on `open` returns false.
  func stop() {
    live.inbox.close()
    exports.inbox.close()
  }
}
