import Reactor
import Testing

@testable import Admin
@testable import HTTPServer

@Suite struct AdminQueueTests {
  private let ticket: ResponseTicket

  init() throws {
    ticket = ResponseTicket(replies: try Inbox(capacity: 1), slot: 0, connection: 0, serial: 0)
  }

  private func work(_ id: String = "") -> AdminWork {
    AdminWork(request: OwnedRequest(method: .get, path: "/", id: id), ticket: ticket)
  }

  @Test func `as many requests wait as there is room, one more is refused`() throws {
    let queue = try AdminQueue(capacity: 2)
    #expect(!queue.isFull)
    #expect(queue.offer(work()) && queue.offer(work()))
    #expect(queue.isFull)
    #expect(!queue.offer(work()))
    #expect(queue.take() != nil)
    #expect(!queue.isFull)
    #expect(queue.offer(work()))
  }

  @Test func `the oldest request goes first`() throws {
    let queue = try AdminQueue(capacity: 3)
    for id in ["1", "2", "3"] { #expect(queue.offer(work(id))) }
    #expect((1...3).map { _ in queue.take()?.requestID } == ["1", "2", "3"])
  }

  @Test func `a closed queue gives out what waits, then ends`() throws {
    let queue = try AdminQueue(capacity: 2)
    #expect(queue.offer(work()))
    queue.close()
    #expect(queue.isFull)
    #expect(!queue.offer(work()))
    #expect(queue.take() != nil)
    #expect(queue.take() == nil)
    #expect(queue.take() == nil)
  }

  @Test func `several threads share the work, each request once`() throws {
    let queue = try AdminQueue(capacity: 5_000)
    let taken = try Inbox<[String]>(capacity: 4)
    for number in 0..<4 {
      _ = try Thread(name: "taker-\(number)") {
        var mine: [String] = []
        while let work = queue.take() { mine.append(work.requestID ?? "") }
        _ = taken.offer(mine)
      }
    }
    for number in 0..<5_000 { #expect(queue.offer(work(String(number)))) }
    queue.close()
    var ids: [String] = []
    var ended = 0
    while ended < 4 {
      let batch = taken.receive(atMost: .seconds(60))
      try #require(!batch.isEmpty, "a thread does not end")
      ended += batch.count
      ids += batch.flatMap { $0 }
    }
    #expect(ids.count == 5_000)
    #expect(Set(ids).count == 5_000)
  }
}

extension AdminWork {
  fileprivate var requestID: String? {
    if case .request(let request) = errand { request.id } else { nil }
  }
}
