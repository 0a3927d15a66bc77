import Foundation
import Reactor
import TestSupport
import TestTier
import Testing

/// Many lives of client processes, some of them cut short. `make client-lives` runs 1,000 lives and 100,000 pushes.
@Suite(.slow, .serialized) struct ClientLivesTests {
  private static func number(_ name: String, _ otherwise: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? otherwise
  }

  @Test func `each push is counted once, although processes are killed`() async throws {
    let lives = Self.number("CLIENT_LIVES", 24)
    let pushes = Self.number("CLIENT_PUSHES", 240)
    let atOnce = min(50, Self.number("CLIENT_AT_ONCE", 6))
    // Each phone lives ten times, and gets what comes to it in ten parts.
    let phones = try #require(lives >= 10 ? lives / 10 : nil)
    let messages = pushes / phones
    let stage = try ClientStage()
    let all = (0..<phones).map { number in
      Phone(stage, "phone-\(number)", String(format: "%08x", number + 0x0a00_0000) + String(repeating: "c", count: 56))
    }
    for phone in all { try await phone.register("user-\(phone.token.prefix(8))") }
    var seqnos: [String] = []
    for _ in 0..<messages { seqnos.append(try await stage.send()) }
    let sent = seqnos
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, phone) in all.enumerated() {
        // A phone's lives follow each other; phones live side by side.
        if index >= atOnce { try await group.next() }
        group.addTask { try await Self.live(phone, sent, seed: index) }
      }
      try await group.waitForAll()
    }
    for seqno in seqnos { #expect(try await stage.received(seqno) == phones, "message \(seqno)") }
    for phone in all { #expect(phone.waiting == []) }
  }

  /// Ten lives; every third is killed somewhere, and the push that it was taking comes again with the next.
  private static func live(_ phone: Phone, _ seqnos: [String], seed: Int) async throws {
    let steps = ClientLifeTests.steps
    let size = max(1, (seqnos.count + 9) / 10)
    var again: [String] = []
    for life in 0..<10 {
      let part = again + seqnos.dropFirst(life * size).prefix(size)
      guard !part.isEmpty else { break }
      let isCut = life % 3 == 1 && life < 9
      let end = isCut ? "\(steps[(seed + life) % steps.count]):\(1 + (seed + life) % part.count)" : ""
      _ = try await phone.live("receive", part, end: end)
      // Pushes after the end were never taken.
      again = isCut ? Array(part) : []
    }
    if !again.isEmpty { _ = try await phone.live("receive", again) }
    #expect(try await phone.live("flush", []) == .exited(0))
  }
}
