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

  /// Starts the threads. Each connects when its first request comes.
  /// - Parameters:
  ///   - hosting: how devices reach what is uploaded here.
  ///   - messageCommitted: called, on an admin thread, when a message has been stored.
  package init(
    databaseURL: String, catalog: Catalog, master: MasterKey? = nil, threads: Int,
    hosting: Hosting = Hosting(publicURL: nil), clock: any Clock = SystemClock(), isSecure: Bool = false,
    messageCommitted: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let queue = try AdminQueue(capacity: Admin.Limits.waitingRequests)
    self.queue = queue
    let resources = AdminWorker.Resources(
      databaseURL: databaseURL, catalog: catalog, master: master, clock: clock, isSecure: isSecure, hosting: hosting,
      messageCommitted: messageCommitted)
    for number in 0..<threads {
      // It ends by itself when the queue is closed and empty.
      _ = try Thread(name: "admin-\(number)") { AdminWorker(resources, queue: queue).run() }
    }
  }

  /// Runs a job on one of the threads and answers with what it returns. False when too many wait: it is not run.
  package func perform(_ ticket: ResponseTicket, _ job: @escaping Job) -> Bool {
    queue.offer(AdminWork(.job(job), ticket: ticket))
  }

  deinit {
    queue.close()
  }

  /// Takes no more requests. Those that wait are still answered, then the threads end.
  package func stop() {
    queue.close()
  }
}
