package import Reactor
internal import Synchronization

/// Resolves names on its own threads, because the system's resolver blocks. It caches nothing: services move load by
/// DNS.
///
/// Names that customers choose are resolved by several threads, of which one asker holds at most one (`LookUpQueue`): a
/// silent name server delays only the customers who named it.
package final class Resolver: Sendable {
  package struct Question: Sendable {
    let endpoint: Endpoint
    /// Who waits: the customer, if customers choose the name.
    let asker: String
    /// Called on a thread of the resolver.
    let answer: @Sendable (Result<[SocketAddress], SystemError>) -> Void

    package init(
      endpoint: Endpoint, asker: String = "", answer: @escaping @Sendable (Result<[SocketAddress], SystemError>) -> Void
    ) {
      self.endpoint = endpoint
      self.asker = asker
      self.answer = answer
    }
  }

  /// Resolves an endpoint; blocks until there is an answer.
  package typealias LookUp = @Sendable (Endpoint) throws(SystemError) -> [SocketAddress]

  /// The system's resolver.
  package static let system: LookUp = { endpoint throws(SystemError) in
    try SocketAddress.resolve(host: endpoint.host, port: endpoint.port)
  }

  private struct State {
    var queue: LookUpQueue<Question>
    var isClosed = false
  }

  private let state: Mutex<State>
  private let bell: Wakeup
  private let lookUp: LookUp
  private let threads: Int

  /// - Parameters:
  ///   - threads: how many names are resolved at once.
  ///   - questionsOfOne: maximum waiting questions of one asker. For names that customers choose; the networks' own
  ///     names have a single asker, on behalf of all.
  package init(
    _ lookUp: @escaping LookUp = Resolver.system, threads: Int = 1, questionsOfOne: Int = .max
  ) throws(SystemError) {
    self.lookUp = lookUp
    state = Mutex(State(queue: LookUpQueue(questionsOfOne: questionsOfOne)))
    self.threads = threads
    bell = try Wakeup()
  }

  /// False if too many questions wait.
  package func ask(_ question: Question) -> Bool {
    let isTaken = state.withLock { !$0.isClosed && $0.queue.offer(question, of: question.asker) }
    if isTaken { bell.signal() }
    return isTaken
  }

  package func close() {
    state.withLock { $0.isClosed = true }
    bell.signal()
  }

  /// Answers questions until `close`. Blocks.
  private func run() {
    while true {
      bell.drain()
      let (taken, isClosed) = state.withLock { ($0.isClosed ? nil : $0.queue.take(), $0.isClosed) }
      // One signal may stand for several questions, of which this thread has taken one: pass it on.
      if isClosed || state.withLock({ $0.queue.hasWork }) { bell.signal() }
      if isClosed { return }
      guard let (question, asker) = taken else {
        _ = bell.wait(atMost: .seconds(60))
        continue
      }
      do throws(SystemError) {
        // Addresses are tried one after the other, each for up to the connect timeout: cap their number.
        question.answer(.success(Array(try lookUp(question.endpoint).prefix(PushTransport.Limits.addresses))))
      } catch {
        question.answer(.failure(error))
      }
      state.withLock { $0.queue.finished(asker) }
      bell.signal()
    }
  }

  /// Runs resolvers on threads of their own, "`name`-0" and so on, for the duration of `work`. On return waits up to a
  /// minute for each thread that is still blocked in the system's resolver.
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
