import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UPMCClient

/// The count that a read answers with, when other calls of the app send the outbox at the same time.
@Suite struct ReadCountTests {
  private let directory = TemporaryDirectory.make(prefix: "upmc-count.")

  private func client(
    _ transport: FakeTransport, onStep: @escaping @Sendable (DurableFile.Step) -> Void = { _ in }
  ) throws -> PushClient {
    PushClient(
      ClientSettings(
        server: try ServerAddress("https://push.example.com"), appID: "app", clientKey: "client", directory: directory),
      transport: transport, keys: MemoryKeyStore(), now: { Date() }, onStep: onStep)
  }

  @Test(arguments: [(BadgeOption.keep, nil, 4), (.force, 9, 9)] as [(BadgeOption, Int?, Int)])
  func `a read that another call has sent has its count all the same`(
    option: BadgeOption, badge: Int?, count: Int
  ) async throws {
    let (sent, isSent) = AsyncStream<Void>.makeStream()
    let (stored, isStored) = AsyncStream<Void>.makeStream()
    let transport = FakeTransport { request in
      switch request.path {
      case "/v1/receipts":
        isSent.finish()
        // The receipt is answered once the read is stored, so that the call that sends it finds the read as well.
        for await _ in stored {}
        return FakeTransport.verdicts(request)
      case "/v1/reads": return FakeTransport.json(200, #"{"results":[{"seqno":"1","status":"recorded","badge":4}]}"#)
      case "/v1/devices/d-1/badge": return FakeTransport.json(200, #"{"badge":9}"#)
      default: return ConfirmationTroubleTests.answer(request)
      }
    }
    let files = Mutex(0)
    let client = try client(transport) { step in
      guard step == .renamed else { return }
      // The receipt's file, then the read's.
      let number = files.withLock { files in
        files += 1
        return files
      }
      if number == 2 { isStored.finish() }
    }
    try await client.register(token: "abcd")
    let push = try ConfirmationTroubleTests.payload("1")
    async let received = client.receive(push)
    for await _ in sent {}
    #expect(try await client.read(push, badgeOption: option, badge: badge) == .recorded(badge: count))
    #expect(await received == .recorded(badge: nil))
    #expect(transport.requests.count { $0.path == "/v1/reads" } == 1)
    #expect(await client.waitingConfirmations == 0)
  }

  @Test func `the count is shown after reads that had to wait, not after one that the app waits for`() async throws {
    let isAway = Mutex(true)
    let transport = FakeTransport { request in
      switch request.path {
      case "/v1/reads":
        if isAway.withLock({ $0 }) { return .failure(NoAnswer("away")) }
        let results = FakeTransport.Entry.all(in: request).map {
          #"{"seqno":"\#($0.seqno)","status":"recorded","badge":4}"#
        }
        return FakeTransport.json(200, #"{"results":[\#(results.joined(separator: ","))]}"#)
      case "/v1/devices/d-1/badge": return FakeTransport.json(200, #"{"badge":3}"#)
      default: return ConfirmationTroubleTests.answer(request)
      }
    }
    let client = try client(transport)
    let (counts, show) = AsyncStream<Int>.makeStream()
    await client.use(badges: { count in show.yield(count) })
    try await client.register(token: "abcd")
    try await client.read(ConfirmationTroubleTests.payload("1"))
    isAway.withLock { $0 = false }
    #expect(await client.flush().recorded == 1)
    #expect(try await client.read(ConfirmationTroubleTests.payload("2")) == .recorded(badge: 4))
    #expect(transport.requests.count { $0.path == "/v1/devices/d-1/badge" } == 1)
    // A receipt takes a stored read along.
    isAway.withLock { $0 = true }
    try await client.read(ConfirmationTroubleTests.payload("3"))
    isAway.withLock { $0 = false }
    await client.receive(try ConfirmationTroubleTests.payload("4"))
    var shown: [Int] = []
    for await count in counts {
      shown.append(count)
      if shown.count == 2 { break }
    }
    #expect(shown == [3, 3])
  }
}
