package import Reactor

/// Looks names up on a thread of its own, because the system's resolver blocks. Afresh each
/// time: services move load by DNS.
package final class Resolver: Sendable {
  package struct Question: Sendable {
    let endpoint: Endpoint
    /// Called on the resolver's thread.
    let answer: @Sendable (Result<[SocketAddress], SystemError>) -> Void

    package init(endpoint: Endpoint, answer: @escaping @Sendable (Result<[SocketAddress], SystemError>) -> Void) {
      self.endpoint = endpoint
      self.answer = answer
    }
  }

  /// What it asks: blocks until there is an answer.
  package typealias LookUp = @Sendable (Endpoint) throws(SystemError) -> [SocketAddress]

  /// By the system's resolver.
  package static let system: LookUp = { endpoint throws(SystemError) in
    try SocketAddress.resolve(host: endpoint.host, port: endpoint.port)
  }

  private let questions: Inbox<Question>
  private let lookUp: LookUp

  package init(_ lookUp: @escaping LookUp = Resolver.system) throws(SystemError) {
    self.lookUp = lookUp
    questions = try Inbox(capacity: PushWire.Limits.resolverQuestions)
  }

  /// False when too many wait.
  package func ask(_ question: Question) -> Bool {
    questions.offer(question)
  }

  /// Answers until `close`. Blocks: call it on a thread of its own.
  package func run() {
    while true {
      for question in questions.receive(atMost: .seconds(60)) {
        do throws(SystemError) {
          question.answer(.success(try lookUp(question.endpoint)))
        } catch {
          question.answer(.failure(error))
        }
      }
      if questions.isClosed { return }
    }
  }

  package func close() {
    questions.close()
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
    for (number, resolver) in resolvers.enumerated() {
      let ended = try Inbox<Void>(capacity: 1)
      _ = try Thread(name: "\(name)-\(number)") {
        resolver.run()
        _ = ended.offer(())
      }
      resolving.append(ended)
    }
    try work()
  }
}
