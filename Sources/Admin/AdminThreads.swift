package import Domain
package import HTTPServer
package import Operations
package import Postgres
package import Reactor

/// The threads `admin-0…n` and the queue in front of them. One for all HTTP loops; callable from any thread.
package final class AdminThreads: Sendable {
  /// Straight-line work of another door: it gets a connection, or the reason why there is none.
  package typealias Job = @Sendable (Result<Connection, Problem>) -> Response

  let queue: AdminQueue
  private let streams: AdminStreams
  /// One for each thread.
  private let cancellers: [Canceller]

  /// Starts the threads. Each connects when its first request comes.
  /// - Parameters:
  ///   - hosting: how devices reach what is uploaded here.
  ///   - messageCommitted: called, on an admin thread, when a message has been stored.
  package init(
    databaseURL: String, catalog: Catalog, master: MasterKey? = nil, threads: Int,
    hosting: Hosting = Hosting(publicURL: nil), clock: any Clock = SystemClock(), isSecure: Bool = false,
    streamTimes: AdminStreams.Times = AdminStreams.Times(), messageCommitted: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let queue = try AdminQueue(capacity: Admin.Limits.waitingRequests)
    self.queue = queue
    let streams = try AdminStreams(databaseURL: databaseURL, clock: clock, times: streamTimes)
    self.streams = streams
    let resources = AdminWorker.Resources(
      databaseURL: databaseURL, catalog: catalog, master: master, clock: clock, isSecure: isSecure, hosting: hosting,
      streams: streams, messageCommitted: messageCommitted)
    cancellers = (0..<threads).map { _ in Canceller() }
    for (number, canceller) in cancellers.enumerated() {
      // It ends by itself when the queue is closed and empty.
      _ = try Thread(name: "admin-\(number)") { AdminWorker(resources, queue: queue, canceller: canceller).run() }
    }
  }

  /// Runs a job on one of the threads and answers with what it returns. False when too many wait: it is not run.
  package func perform(_ ticket: ResponseTicket, _ job: @escaping Job) -> Bool {
    queue.offer(AdminWork(.job(job), ticket: ticket))
  }

  deinit {
    queue.close()
    streams.stop()
  }

  /// Ends the answers that go on for long, so that nobody who drains waits for them. Browsers come back by themselves.
  package func endStreams() {
    streams.stop()
  }

  /// Ends what takes too long for a stop: statements that run are cancelled, requests that wait are not begun. Their callers
  /// are told to come again. Writes that may be committing are left to end.
  package func cutOff() {
    queue.cut()
    for canceller in cancellers { canceller.keepCancelling() }
  }

  /// Takes no more requests. Those that wait are still answered, then the threads end.
  package func stop() {
    queue.close()
    streams.stop()
    for canceller in cancellers { canceller.release() }
  }
}
