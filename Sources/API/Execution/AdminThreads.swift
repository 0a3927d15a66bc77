package import Domain
internal import HTTPServer
package import Operations
internal import Postgres
package import Reactor
internal import Synchronization

/// The threads `admin-0…n`, `passwords` and `provider`, with their queues. One for all HTTP loops; callable from any thread.
package final class AdminThreads: Sendable {
  let queue: AdminQueue
  /// The queue of the thread `passwords`. Hashing a password takes a tenth of a second, and any client may cause it.
  let passwords: AdminQueue
  /// The queue of the thread `provider`: the identity provider may take seconds to answer, and passwords must not wait
  /// for it.
  let provider: AdminQueue
  let known: KnownCallers
  let isSecure: Bool
  private let streams: AdminStreams
  /// One for each thread; cancels the thread's running statement.
  private let cancellers: [Canceller]

  /// Starts the threads. Each connects at once, so that a database without a free connection is noticed before the
  /// first request.
  /// - Parameters:
  ///   - hosting: addresses at which devices reach uploaded files.
  ///   - tokens: address at which Google issues access tokens.
  ///   - keyTrial: asks Apple about keys that are not stored yet.
  ///   - webhooks: rules for the addresses of webhooks.
  ///   - channels: access to broadcast channels; nil if they are not available.
  ///   - nodeState: reads this node's own state; nil if it is not available.
  ///   - isConnected: called on an admin thread with false if the database has refused it a connection, and with true
  ///     once it has one.
  ///   - messageCommitted: called on an admin thread when a message has been stored.
  ///   - signedIn: called for one sign-in attempt at a time, with its problem; nil if it succeeded.
  ///   - policy: rules for signing in to the console.
  ///   - identityProvider: identity provider for sign-in; nil if accounts sign in only here.
  package init(
    databaseURL: String, catalog: Catalog, master: MasterKey? = nil, threads: Int,
    hosting: ContentHosting = ContentHosting(publicURL: nil), tokens: TokenAddress = TokenAddress(),
    webhooks: WebhookAddresses = .any,
    keyTrial: (any KeyTrial)? = nil, channels: ChannelManagement? = nil, clock: any Clock = SystemClock(),
    isSecure: Bool = false, policy: ConsolePolicy = ConsolePolicy(), identityProvider: OpenIDProvider? = nil,
    streamTimes: StreamTimes = StreamTimes(), nodeState: (@Sendable () -> NodeState)? = nil,
    isConnected: @escaping @Sendable (Bool) -> Void = { _ in },
    signedIn: @escaping @Sendable (Problem.Code?) -> Void = { _ in },
    messageCommitted: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    let queue = try AdminQueue(FairQueue.Shares(threads: threads))
    self.queue = queue
    let passwords = try AdminQueue(.passwords)
    self.passwords = passwords
    let provider = try AdminQueue(.passwords)
    self.provider = provider
    self.isSecure = isSecure
    let known = KnownCallers(catalog: catalog, clock: clock)
    self.known = known
    let streams = try AdminStreams(databaseURL: databaseURL, clock: clock, times: streamTimes)
    self.streams = streams
    let turn = Mutex(())
    let resources = AdminResources(
      databaseURL: databaseURL, catalog: catalog, console: ConsoleSetting(policy: policy, master: master),
      provider: identityProvider, clock: clock, isSecure: isSecure, hosting: hosting,
      tokens: tokens, keyTrial: keyTrial, webhooks: webhooks, channels: channels, known: known, streams: streams,
      nodeState: nodeState, isConnected: isConnected,
      messageCommitted: messageCommitted,
      signedIn: { code in turn.withLock { _ in signedIn(code) } })
    let workers = (0..<threads).map { ("admin-\($0)", queue) } + [("passwords", passwords), ("provider", provider)]
    cancellers = workers.map { _ in Canceller() }
    for ((name, queue), canceller) in zip(workers, cancellers) {
      // The thread ends when the queue is closed and empty.
      _ = try Thread(name: name) { AdminWorker(resources, queue: queue, canceller: canceller).run() }
    }
  }

  /// Runs a job of the legacy API on an admin thread, and answers with its result.
  /// - Parameters:
  ///   - caller: caller whose quota the job uses; nil if not authenticated yet.
  ///   - address: the client's address.
  ///   - bytes: memory that the job occupies while it waits.
  /// - Returns: the reason if the job was refused; nil if it was accepted.
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

  /// Ends all streamed answers, so that a stopping server need not wait for them. Browsers reconnect automatically.
  package func endStreams() {
    streams.stop()
  }

  /// Ends everything that would delay a stop: cancels running statements, and answers waiting requests with 503.
  /// Transactions that are being committed are completed.
  package func cutOff() {
    queue.cut()
    passwords.cut()
    provider.cut()
    for canceller in cancellers { canceller.keepCancelling() }
  }

  /// Accepts no more requests. Waiting requests are still answered, then the threads end.
  package func stop() {
    queue.close()
    passwords.close()
    provider.close()
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
