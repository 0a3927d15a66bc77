import Domain
import Operations
import Reactor
import TestSupport
import Testing

@testable import API
@testable import HTTPServer

@Suite struct AdminQueueTests {
  private let ticket: ResponseTicket

  init() throws {
    ticket = ResponseTicket(replies: try Inbox(capacity: 1), slot: 0, connection: 0, serial: 0)
  }

  private func work(_ id: String = "") -> AdminWork {
    AdminWork(
      .request(OwnedRequest(method: .get, path: "/", id: id)), of: QuotaHolder(nil, address: nil), .light, ticket)
  }

  /// So many may wait, of whomever.
  private static func shares(_ requests: Int, threads: Int = 2) -> FairQueue.Shares {
    var shares = FairQueue.Shares(threads: threads)
    (shares.requests, shares.requestsOfTenant, shares.requestsOfCaller) = (requests, requests, requests)
    return shares
  }

  @Test func `as many requests wait as there is room, one more is refused`() throws {
    let queue = try AdminQueue(Self.shares(2))
    #expect(queue.refusal(of: work().party) == nil)
    #expect(queue.offer(work()) == nil && queue.offer(work()) == nil)
    #expect(queue.refusal(of: work().party)?.code == .tooManyRequests)
    #expect(queue.offer(work())?.code == .tooManyRequests)
    #expect(queue.take() != nil)
    #expect(queue.refusal(of: work().party) == nil)
    #expect(queue.offer(work()) == nil)
  }

  @Test func `who gives way in a full queue is told so`() throws {
    let replies = try Inbox<Reply>(capacity: 4)
    let ticket = ResponseTicket(replies: replies, slot: 0, connection: 0, serial: 0)
    let queue = try AdminQueue(Self.shares(2))
    for id in ["1", "2"] {
      let request = OwnedRequest(method: .get, path: "/", id: id)
      #expect(queue.offer(AdminWork(.request(request), of: QuotaHolder(nil, address: nil), .light, ticket)) == nil)
    }
    let caller = Caller(role: .viewer, app: 1, apiKey: 1)
    #expect(
      queue.offer(
        AdminWork(
          .request(OwnedRequest(method: .get, path: "/")), of: QuotaHolder(caller, address: nil), .light, ticket))
        == nil)
    let told = replies.receive(atMost: .zero)
    #expect(told.count == 1)
    if case .response(let response) = told.first?.event { #expect(response.status.code == 503) }
  }

  @Test func `a closed queue gives out what waits, then ends`() throws {
    let queue = try AdminQueue(Self.shares(2))
    #expect(queue.offer(work()) == nil)
    queue.close()
    #expect(queue.refusal(of: work().party)?.code == .busy)
    #expect(queue.offer(work())?.code == .busy)
    #expect(queue.take() != nil)
    #expect(queue.take() == nil)
    #expect(queue.take() == nil)
  }

  @Test func `several threads share the work, each request once`() throws {
    let queue = try AdminQueue(Self.shares(5_000, threads: 5))
    let taken = try Inbox<[String]>(capacity: 4)
    for number in 0..<4 {
      _ = try Thread(name: "taker-\(number)") {
        var mine: [String] = []
        while let work = queue.take() {
          mine.append(work.requestID ?? "")
          queue.finish(work)
        }
        _ = taken.offer(mine)
      }
    }
    for number in 0..<5_000 { #expect(queue.offer(work(String(number))) == nil) }
    queue.close()
    var ids: [String] = []
    var ended = 0
    while ended < 4 {
      let batch = taken.receive(atMost: .patience)
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
    if case .request(let request) = kind { request.id } else { nil }
  }
}
