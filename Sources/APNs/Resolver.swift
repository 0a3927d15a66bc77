internal import Reactor

/// Looks names up on a thread of its own, because the system's resolver blocks. Afresh each time: Apple moves load by DNS.
final class Resolver: Sendable {
  struct Question: Sendable {
    let endpoint: APNsEndpoint
    /// Called on the resolver's thread.
    let answer: @Sendable (Result<[SocketAddress], SystemError>) -> Void
  }

  private let questions: Inbox<Question>

  init() throws(SystemError) {
    questions = try Inbox(capacity: APNs.Limits.resolverQuestions)
  }

  /// False when too many wait.
  func ask(_ question: Question) -> Bool {
    questions.offer(question)
  }

  /// Answers until `close`. Blocks: call it on a thread of its own.
  func run() {
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

  func close() {
    questions.close()
  }
}
