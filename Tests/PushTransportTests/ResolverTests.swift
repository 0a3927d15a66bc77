import Reactor
import Synchronization
import TestSupport
import Testing

@testable import PushTransport

/// A name server that says nothing for as long as it likes harms those who have named it.
@Suite struct ResolverTests {
  /// A name server of the test's: silent about some names until it is released.
  private final class Names: Sendable {
    private let state = Mutex((asked: [String](), isReleased: false))
    private let bells: [Wakeup]

    init() throws {
      bells = try (0..<16).map { _ in try Wakeup() }
    }

    var asked: [String] { state.withLock { $0.asked } }

    func answer(_ endpoint: Endpoint) throws(SystemError) -> [SocketAddress] {
      let bell = state.withLock { state in
        state.asked.append(endpoint.host)
        return bells[state.asked.count - 1]
      }
      if endpoint.host.hasPrefix("silent") { _ = bell.wait(atMost: .patience) }
      let port = endpoint.port
      let one = try SocketAddress.resolve(host: "127.0.0.1", port: port)
      return endpoint.host.hasPrefix("many") ? Array(repeating: one[0], count: 4_000) : one
    }

    func release() {
      for bell in bells { bell.signal() }
    }
  }

  private func ask(
    _ resolver: Resolver, _ name: String, _ asker: String, _ answers: Inbox<(name: String, addresses: Int)>
  ) -> Bool {
    resolver.ask(
      Resolver.Question(endpoint: Endpoint(host: name, port: 443), asker: asker) { result in
        _ = answers.offer((name, (try? result.get().count) ?? -1))
      })
  }

  @Test func `one customer's silent names leave the others their answers`() throws {
    let names = try Names()
    let resolver = try Resolver({ endpoint throws(SystemError) in try names.answer(endpoint) }, threads: 2)
    let answers = try Inbox<(name: String, addresses: Int)>(capacity: 100)
    try Resolver.run([resolver], named: "test-dns") { () throws(SystemError) in
      for number in 0..<8 { #expect(ask(resolver, "silent\(number)", "hostile", answers)) }
      for number in 0..<3 { #expect(ask(resolver, "quick\(number)", "quiet", answers)) }
      var found: [String] = []
      while found.count < 3 {
        let more = answers.receive(atMost: .patience).map(\.name)
        if more.isEmpty { break }
        found += more
      }
      #expect(found == ["quick0", "quick1", "quick2"])
      #expect(names.asked.filter { $0.hasPrefix("silent") }.count == 1)
      names.release()
    }
  }

  @Test func `a name with thousands of addresses gives sixteen`() throws {
    let names = try Names()
    let resolver = try Resolver({ endpoint throws(SystemError) in try names.answer(endpoint) })
    let answers = try Inbox<(name: String, addresses: Int)>(capacity: 100)
    try Resolver.run([resolver], named: "test-dns") { () throws(SystemError) in
      #expect(ask(resolver, "many", "a", answers))
      #expect(answers.receive(atMost: .patience).first?.addresses == 16)
    }
    #expect(!ask(resolver, "late", "a", answers), "it is closed")
  }

  @Test func `all may ask for Apple's and Google's own names, whose resolver knows one asker only`() throws {
    let names = try Names()
    let resolver = try Resolver({ endpoint throws(SystemError) in try names.answer(endpoint) })
    let answers = try Inbox<(name: String, addresses: Int)>(capacity: 1)
    for number in 0..<200 { #expect(ask(resolver, "fcm.googleapis.com", "", answers), "\(number) others wait") }
  }

  // MARK: The queue

  @Test func `whoever asks has one name under way, and its turn after the others`() {
    var queue = LookUpQueue<Int>(questionsOfOne: PushTransport.Limits.questionsOfOne)
    for number in 1...3 { #expect(queue.offer(number, of: "a") == true) }
    #expect(queue.offer(10, of: "b") == true)
    #expect(queue.offer(20, of: "c") == true)
    #expect(queue.take()?.question == 1)
    #expect(queue.take()?.question == 10)
    #expect(queue.take()?.question == 20)
    #expect(queue.take() == nil)
    #expect(!queue.hasWork)
    queue.finished("a")
    #expect(queue.hasWork)
    #expect(queue.take()?.question == 2)
    #expect(queue.offer(11, of: "b") == true)
    #expect(queue.take() == nil)
    queue.finished("b")
    #expect(queue.take()?.question == 11)
    queue.finished("a")
    #expect(queue.take()?.question == 3)
    queue.finished("a")
    queue.finished("b")
    #expect(queue.take() == nil)
  }

  @Test func `64 names of one may wait and not one more, and all together are bounded`() {
    var queue = LookUpQueue<Int>(questionsOfOne: PushTransport.Limits.questionsOfOne)
    for number in 0..<PushTransport.Limits.questionsOfOne { #expect(queue.offer(number, of: "a") == true) }
    #expect(queue.offer(0, of: "a") == false)
    #expect(queue.offer(0, of: "b") == true)
    var most = PushTransport.Limits.questionsOfOne + 1
    for asker in 0..<10_000 where queue.offer(0, of: "\(asker)") { most += 1 }
    #expect(most == PushTransport.Limits.resolverQuestions)
  }
}
