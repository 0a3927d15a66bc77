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
    let messages = try #require(pushes / phones >= 100 ? pushes / phones : nil)
    let stage = try ClientStage()
    let all = (0..<phones).map { number in
      Phone(stage, "phone-\(number)", String(format: "%08x", number + 0x0a00_0000) + String(repeating: "c", count: 56))
    }
    for phone in all { try await phone.register("user-\(phone.token.prefix(8))") }
    var seqnos: [String] = []
    for _ in 0..<messages { seqnos.append(try await stage.send()) }
    let sent = seqnos
    let clock = SystemClock()
    let began = clock.now
    var kills = 0
    try await withThrowingTaskGroup(of: Int.self) { group in
      for (index, phone) in all.enumerated() {
        // A phone's lives follow each other; phones live side by side.
        if index >= atOnce { kills += try await group.next() ?? 0 }
        group.addTask { try await Self.live(phone, sent, seed: index) }
      }
      for try await more in group { kills += more }
    }
    #expect(kills == 3 * phones)
    for seqno in seqnos { #expect(try await stage.received(seqno) == phones, "message \(seqno)") }
    for phone in all { #expect(phone.waiting == []) }
    if pushes >= 100_000 {
      let seconds = (clock.now - began).components.seconds
      print(
        "\(phones * 10) lives, \(kills) of them killed, took \(phones * messages) pushes in \(seconds) s: each counted once"
      )
    }
  }

  /// Ten lives, of which three are killed somewhere, and what is left is sent. A push comes once: after a kill only those that
  /// the process had not begun to take, and the one whose receipt it had not stored yet.
  /// - Returns: the number of kills.
  private static func live(_ phone: Phone, _ seqnos: [String], seed: Int) async throws -> Int {
    let steps = ClientLifeTests.steps
    let size = max(1, (seqnos.count + 9) / 10)
    var again: [String] = []
    var kills = 0
    for life in 0..<10 {
      let part = again + seqnos.dropFirst(life * size).prefix(size)
      guard !part.isEmpty else { break }
      again = []
      guard life % 3 == 1, life < 9 else {
        #expect(try await phone.live("receive", part) == .exited(0))
        continue
      }
      let step = steps[(seed + life) % steps.count]
      let known = phone.taken.count
      let ending = try await phone.live("receive", part, end: "\(step):\(1 + (seed + life) % part.count)")
      #expect(ending == .killed(signal: SIGKILL), "\(step)")
      kills += 1
      let taken = phone.taken.dropFirst(known)
      again = part.filter { !taken.contains($0) }
      if ClientLifeTests.unstored.contains(step), let last = taken.last { again.insert(last, at: 0) }
    }
    if !again.isEmpty { #expect(try await phone.live("receive", again) == .exited(0)) }
    #expect(try await phone.live("flush", []) == .exited(0))
    return kills
  }
}
