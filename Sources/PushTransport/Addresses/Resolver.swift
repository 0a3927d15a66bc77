package import Reactor
internal import Synchronization

/// Looks names up on threads of its own, because the system's resolver blocks. Afresh each time: services move load by
/// DNS.
///
/// Names that customers choose are looked up by several threads, and whoever asks holds one of them at most
/// (`LookUpQueue`): a silent name server delays nobody but those who have named it.
package final class Resolver: Sendable {
  package struct Question: Sendable {
    let endpoint: Endpoint
    /// Who waits: the customer, where customers choose the name.
    let asker: String
    /// Called on a thread of the resolver's.
    let answer: @Sendable (Result<[SocketAddress], SystemError>) -> Void

    package init(
      endpoint: Endpoint, asker: String = "", answer: @escaping @Sendable (Result<[SocketAddress], SystemError>) -> Void
    ) {
      self.endpoint = endpoint
      self.asker = asker
      self.answer = answer
    }
  }

  /// What it asks: blocks until there is an answer.
  package typealias LookUp = @Sendable (Endpoint) throws(SystemError) -> [SocketAddress]

  /// By the system's resolver.
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
  ///   - threads: how many names are looked up at once.
  ///   - questionsOfOne: how many of one asker may wait. For names that customers choose; the networks' own names are asked
  ///     for by one asker, on behalf of all.
  package init(
    _ lookUp: @escaping LookUp = Resolver.system, threads: Int = 1, questionsOfOne: Int = .max
  ) throws(SystemError) {
    self.lookUp = lookUp
    state = Mutex(State(queue: LookUpQueue(questionsOfOne: questionsOfOne)))
    self.threads = threads
    bell = try Wakeup()
  }

  /// False when too many wait.
  package func ask(_ question: Question) -> Bool {
    let isTaken = state.withLock { !$0.isClosed && $0.queue.offer(question, of: question.asker) }
    if isTaken { bell.signal() }
    return isTaken
  }

  package func close() {
    state.withLock { $0.isClosed = true }
    bell.signal()
  }

  /// Answers until `close`. Blocks.
  private func run() {
    while true {
      bell.drain()
      let (taken, isClosed) = state.withLock { ($0.isClosed ? nil : $0.queue.take(), $0.isClosed) }
      // One signal may stand for several questions, and this thread has taken one of them.
      if isClosed || state.withLock({ $0.queue.hasWork }) { bell.signal() }
      if isClosed { return }
      guard let (question, asker) = taken else {
        _ = bell.wait(atMost: .seconds(60))
        continue
      }
      do throws(SystemError) {
        // More would be tried one after the other, each for as long as a connection may take.
        question.answer(.success(Array(try lookUp(question.endpoint).prefix(PushTransport.Limits.addresses))))
      } catch {
        question.answer(.failure(error))
      }
      state.withLock { $0.queue.finished(asker) }
      bell.signal()
    }
  }

  /// Runs these on threads of their own, "`name`-0" and so on, as long as `work` lasts, and then as long as the system
  /// still keeps one of them waiting, for a minute at most.
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
