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

  private let questions: Inbox<Question>

  package init() throws(SystemError) {
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
          let endpoint = question.endpoint
          question.answer(.success(try SocketAddress.resolve(host: endpoint.host, port: endpoint.port)))
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
}
