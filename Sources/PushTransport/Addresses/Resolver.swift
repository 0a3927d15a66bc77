internal import DequeModule
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

/// A queue of pending DNS look-ups, fair between the tenants ("askers") that request them. Not thread-safe: confined to
/// one owner.
///
/// The system's resolver blocks its thread for ten seconds or more while a name server does not respond, and a tenant
/// who chooses the host name also chooses its name server. Each asker therefore occupies at most one resolver thread,
/// and askers are served round-robin. Decision 117.
struct LookUpQueue<Question> {
  private var waiting: [String: Deque<Question>] = [:]
  /// The askers with waiting questions, in round-robin order.
  private var turns = Deque<String>()
  private var busy: Set<String> = []
  private var count = 0
  private let questionsOfOne: Int

  /// Creates an empty queue.
  /// - Parameter questionsOfOne: maximum number of look-ups that one asker may have queued.
  init(questionsOfOne: Int) {
    self.questionsOfOne = questionsOfOne
  }

  /// Enqueues a look-up. Returns false if the queue is full, in total or for this asker.
  mutating func offer(_ question: Question, of asker: String) -> Bool {
    let own = waiting[asker]?.count ?? 0
    guard count < PushTransport.Limits.resolverQuestions, own < questionsOfOne else { return false }
    if own == 0 { turns.append(asker) }
    waiting[asker, default: []].append(question)
    count += 1
    return true
  }

  /// Dequeues the next look-up of an asker that has none in progress, and counts it as in progress; nil if there is
  /// none. When the look-up is done, the caller must call `finished`.
  mutating func take() -> (question: Question, asker: String)? {
    guard let turn = turns.firstIndex(where: { !busy.contains($0) }) else { return nil }
    let asker = turns.remove(at: turn)
    guard let question = waiting[asker]?.popFirst() else { return nil }
    count -= 1
    if waiting[asker]?.isEmpty == false { turns.append(asker) } else { waiting[asker] = nil }
    busy.insert(asker)
    return (question, asker)
  }

  mutating func finished(_ asker: String) {
    busy.remove(asker)
  }

  /// True if `take` would return a question.
  var hasWork: Bool { turns.contains { !busy.contains($0) } }
}
