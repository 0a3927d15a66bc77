internal import Domain
internal import HTTPServer
internal import Operations
internal import Postgres
package import Reactor
internal import Synchronization

/// The threads of the admin API (`admin-0`, `admin-1`, …, `passwords` and `provider`) with their queues. One instance
/// serves all HTTP loops; callable from any thread. Call `stop` at the end.
package final class AdminThreads: Sendable {
  let queue: AdminQueue
  /// The queue of the thread `passwords`. Hashing a password takes about a tenth of a second, and any client can cause
  /// it.
  let passwords: AdminQueue
  /// The queue of the thread `provider`: the identity provider may take seconds to answer, and passwords must not wait
  /// for it.
  let provider: AdminQueue
  let known: KnownCallers
  let isSecure: Bool
  private let streams: AdminStreams
  /// One for each thread, to cancel the statement that the thread is running.
  private let cancellers: [Canceller]

  /// Starts the threads. Each connects to the database at once, so that a database without a free connection is noticed
  /// before the first request.
  /// - Parameter threads: number of threads besides `passwords` and `provider`.
  package init(
    _ resources: AdminResources, threads: Int, streamTimes: StreamTimes = StreamTimes()
  ) throws(SystemError) {
    let queue = try AdminQueue(FairQueue.Shares(threads: threads))
    self.queue = queue
    let passwords = try AdminQueue(.passwords)
    self.passwords = passwords
    let provider = try AdminQueue(.passwords)
    self.provider = provider
    isSecure = resources.isSecure
    known = resources.known
    let streams = try AdminStreams(databaseURL: resources.databaseURL, clock: resources.clock, times: streamTimes)
    self.streams = streams
    let turn = Mutex(())
    let signedIn = resources.signedIn
    var resources = resources
    resources.streams = streams
    resources.signedIn = { code in turn.withLock { _ in signedIn(code) } }
    let workers = (0..<threads).map { ("admin-\($0)", queue) } + [("passwords", passwords), ("provider", provider)]
    cancellers = workers.map { _ in Canceller() }
    for ((name, queue), canceller) in zip(workers, cancellers) {
      // The thread ends when the queue is closed and empty.
      _ = try Thread(name: name) { [resources] in AdminWorker(resources, queue: queue, canceller: canceller).run() }
    }
  }

  /// Queues a job of the legacy API for an admin thread, which sends the job's response. The job is called with a
  /// problem instead of a connection if it is displaced from the queue, if it is taken after `cutOff`, or if the
  /// database is unreachable.
  /// - Parameters:
  ///   - caller: caller whose quota the job uses; nil if the caller is not authenticated yet.
  ///   - address: the client's address, whose quota the job uses if `caller` is nil.
  ///   - bytes: memory that the job occupies while it waits.
  /// - Returns: the problem if the job was refused, in which case it is not called; nil if it was accepted.
  func perform(
    for caller: Caller?, at address: IPAddress?, bytes: Int, _ ticket: ResponseTicket, _ job: @escaping AdminJob
  ) -> Problem? {
    queue.offer(AdminWork(.job(job, bytes: bytes), of: QuotaHolder(caller, address: address), .light, ticket))
  }

  deinit {
    queue.close()
    passwords.close()
    provider.close()
    streams.stop()
  }

  /// Ends all live views, aborts all exports, and refuses new ones with `.busy`, so that a stopping server need not
  /// wait for them. Browsers reconnect automatically. Returns at once.
  package func endStreams() {
    streams.stop()
  }

  /// Shortens the work before a stop: cancels running statements until `stop` is called, and makes the threads answer
  /// waiting and further requests with 503. Transactions that are being committed are completed, and streamed answers
  /// continue. Returns at once.
  package func cutOff() {
    queue.cut()
    passwords.cut()
    provider.cut()
    for canceller in cancellers { canceller.keepCancelling() }
  }

  /// Accepts no more requests, ends all streamed answers, and ends the cancelling that `cutOff` began. Waiting requests
  /// are still answered, then the threads end. Returns at once.
  package func stop() {
    queue.close()
    passwords.close()
    provider.close()
    streams.stop()
    for canceller in cancellers { canceller.release() }
  }
}

extension FairQueue.Shares {
  /// Quotas for the queue of a single thread for sign-ins, which `passwords` and `provider` both have.
  fileprivate static var passwords: FairQueue.Shares {
    var shares = FairQueue.Shares(threads: 1)
    shares.requests = AdminLimits.waitingPasswords
    shares.requestsOfTenant = AdminLimits.waitingPasswordsOfStrangers
    shares.requestsOfCaller = AdminLimits.waitingPasswordsOfAddress
    return shares
  }
}
