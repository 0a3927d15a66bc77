package import Domain
internal import HTTPServer
package import Operations
internal import Postgres
package import Reactor

/// The threads `admin-0…n` and `passwords`, with their queues. Shared by all HTTP loops; callable from any thread.
package final class AdminThreads: Sendable {
  let queue: AdminQueue
  /// The queue of the thread `passwords`. Hashing a password takes a tenth of a second, and any client may cause it.
  let passwords: AdminQueue
  let known: KnownCallers
  let isSecure: Bool
  private let streams: AdminStreams
  /// One for each thread, to cancel its running statement.
  private let cancellers: [Canceller]

  /// Starts the threads. Each connects at once, so that a database without a free connection is noticed before the
  /// first request.
  /// - Parameters:
  ///   - hosting: the URLs at which devices reach uploaded files.
  ///   - tokens: the address at which access tokens for FCM are obtained.
  ///   - channels: access to broadcast channels; nil where there are none.
  ///   - isConnected: called on an admin thread with false when it could not connect to the database, and with true
  ///     when it could.
  ///   - messageCommitted: called on an admin thread when a message has been stored.
  ///   - signedIn: called, always on the same thread, after each sign-in with its problem, or nil for success.
  package init(
    databaseURL: String, catalog: Catalog, master: MasterKey? = nil, threads: Int,
    hosting: ContentHosting = ContentHosting(publicURL: nil), tokens: TokenAddress = TokenAddress(),
    channels: ChannelWays? = nil, clock: any Clock = SystemClock(),
    isSecure: Bool = false,
    streamTimes: StreamTimes = StreamTimes(), isConnected: @escaping @Sendable (Bool) -> Void = { _ in },
    signedIn: @escaping @Sendable (Problem.Code?) -> Void = { _ in },
    messageCommitted: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let queue = try AdminQueue(FairQueue.Shares(threads: threads))
    self.queue = queue
    let passwords = try AdminQueue(.passwords)
    self.passwords = passwords
    self.isSecure = isSecure
    let known = KnownCallers(catalog: catalog, clock: clock)
    self.known = known
    let streams = try AdminStreams(databaseURL: databaseURL, clock: clock, times: streamTimes)
    self.streams = streams
    let resources = AdminResources(
      databaseURL: databaseURL, catalog: catalog, master: master, clock: clock, isSecure: isSecure, hosting: hosting,
      tokens: tokens, channels: channels, known: known, streams: streams, isConnected: isConnected,
      messageCommitted: messageCommitted,
      signedIn: signedIn)
    cancellers = (0...threads).map { _ in Canceller() }
    for (number, canceller) in cancellers.enumerated() {
      let (name, queue) = number < threads ? ("admin-\(number)", queue) : ("passwords", passwords)
      // The thread ends when the queue is closed and empty.
      _ = try Thread(name: name) { AdminWorker(resources, queue: queue, canceller: canceller).run() }
    }
  }

  /// Runs a job of the legacy API on an admin thread, and answers with what it returns.
  /// - Parameters:
  ///   - caller: the caller whose quota it uses; nil if it is not authenticated yet.
  ///   - address: the client's address.
  ///   - bytes: the memory that the job occupies while it waits.
  /// - Returns: why the job was refused; nil if it was accepted.
  func perform(
    for caller: Caller?, at address: IPAddress?, bytes: Int, _ ticket: ResponseTicket, _ job: @escaping AdminJob
  ) -> Problem? {
    queue.offer(AdminWork(.job(job, bytes: bytes), of: QuotaHolder(caller, address: address), .light, ticket))
  }

  deinit {
    queue.close()
    passwords.close()
    streams.stop()
  }

  /// Ends all streamed answers, so that a stopping server need not wait for them. Browsers reconnect automatically.
  package func endStreams() {
    streams.stop()
  }

  /// Ends everything that would delay a stop: cancels running statements, and answers waiting requests with 503.
  /// Transactions that are being committed are completed.
  package func cutOff() {
    queue.cut()
    passwords.cut()
    for canceller in cancellers { canceller.keepCancelling() }
  }

  /// Accepts no more requests. Those that wait are still answered, then the threads end.
  package func stop() {
    queue.close()
    passwords.close()
    streams.stop()
    for canceller in cancellers { canceller.release() }
  }
}

extension FairQueue.Shares {
  /// Quotas for the queue of the thread `passwords`.
  fileprivate static var passwords: FairQueue.Shares {
    var shares = FairQueue.Shares(threads: 1)
    shares.requests = AdminLimits.waitingPasswords
    shares.requestsOfTenant = AdminLimits.waitingPasswordsOfStrangers
    shares.requestsOfCaller = AdminLimits.waitingPasswordsOfAddress
    return shares
  }
}
