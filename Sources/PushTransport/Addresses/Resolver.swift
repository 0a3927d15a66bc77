package import Reactor
internal import Synchronization

/// A resolver of host names, with threads of its own because the system's resolver blocks. Results are not cached,
/// because services shift load by changing their DNS records.
///
/// For host names that customers choose, use several threads: each customer occupies at most one (`LookUpQueue`), so
/// that an unresponsive name server delays only the customers who configured it.
package final class Resolver: Sendable {
  package struct Question: Sendable {
    let endpoint: Endpoint
    /// The requester of the look-up, for fairness: the customer if customers choose the host name, otherwise empty.
    let asker: String
    /// The completion handler, called once on a resolver thread; not called if the resolver is closed first.
    let answer: @Sendable (Result<[SocketAddress], SystemError>) -> Void

    package init(
      endpoint: Endpoint, asker: String = "", answer: @escaping @Sendable (Result<[SocketAddress], SystemError>) -> Void
    ) {
      self.endpoint = endpoint
      self.asker = asker
      self.answer = answer
    }
  }

  /// Resolves an endpoint's host name to addresses; blocks until the resolver responds. Throws if the name has none or
  /// the look-up fails.
  package typealias LookUp = @Sendable (Endpoint) throws(SystemError) -> [SocketAddress]

  /// The look-up by the operating system's resolver.
  package static let system: LookUp = { endpoint throws(SystemError) in
    try SocketAddress.resolve(host: endpoint.host, port: endpoint.port)
  }

  private struct State {
    var queue: LookUpQueue<Question>
    var isClosed = false
  }

  private let state: Mutex<State>
  private let wakeup: Wakeup
  private let lookUp: LookUp
  private let threads: Int

  /// Creates a resolver and its wake-up signal; throws if the system has no descriptor left. `run` starts the threads.
  /// - Parameters:
  ///   - threads: number of names resolved concurrently.
  ///   - questionsOfOne: maximum queued look-ups per asker. Set it where customers choose the names; look-ups of the
  ///     push networks' own names all belong to one asker and need no limit.
  package init(
    _ lookUp: @escaping LookUp = Resolver.system, threads: Int = 1, questionsOfOne: Int = .max
  ) throws(SystemError) {
    self.lookUp = lookUp
    state = Mutex(State(queue: LookUpQueue(questionsOfOne: questionsOfOne)))
    self.threads = threads
    wakeup = try Wakeup()
  }

  /// Queues a look-up, callable from any thread. Returns false, without calling the handler, if the queue is full, in
  /// total or for this asker, or if the resolver is closed.
  package func ask(_ question: Question) -> Bool {
    let isTaken = state.withLock { !$0.isClosed && $0.queue.offer(question, of: question.asker) }
    if isTaken { wakeup.signal() }
    return isTaken
  }

  package func close() {
    state.withLock { $0.isClosed = true }
    wakeup.signal()
  }

  /// Resolves queued names until `close`; the body of each thread. Passes at most `PushTransport.Limits.addresses`
  /// addresses to the handler.
  private func run() {
    while true {
      wakeup.drain()
      let (taken, isClosed) = state.withLock { ($0.isClosed ? nil : $0.queue.take(), $0.isClosed) }
      // One signal may announce several look-ups, of which this thread takes one: wake another thread for the rest.
      if isClosed || state.withLock({ $0.queue.hasWork }) { wakeup.signal() }
      if isClosed { return }
      guard let (question, asker) = taken else {
        _ = wakeup.wait(atMost: .seconds(60))
        continue
      }
      do throws(SystemError) {
        // Addresses are tried one after the other within the connect timeout: cap their number.
        question.answer(.success(Array(try lookUp(question.endpoint).prefix(PushTransport.Limits.addresses))))
      } catch {
        question.answer(.failure(error))
      }
      state.withLock { $0.queue.finished(asker) }
      wakeup.signal()
    }
  }

  /// Starts the resolvers' threads, named "`name`-0" and so on, runs `work`, then closes the resolvers. Before
  /// returning, waits up to a minute for each thread that is still blocked in the system's resolver. Throws, without
  /// running `work`, if a thread cannot be created; rethrows the error of `work`.
  package static func run(
    _ resolvers: [Resolver], named name: String, during work: () throws(SystemError) -> Void
  ) throws(SystemError) {
    var resolving: [Inbox<Void>] = []
    defer {
      for resolver in resolvers { resolver.close() }
      for ended in resolving { _ = ended.receive(atMost: .seconds(60)) }
    }
    for resolver in resolvers.flatMap({ Array(repeating: $0, count: $0.threads) }) {
      let ended = try Inbox<Void>(capacity: 1)
      _ = try Thread(name: "\(name)-\(resolving.count)") {
        resolver.run()
        _ = ended.offer(())
      }
      resolving.append(ended)
    }
    try work()
  }
}
