import Domain
import TestTier
import Testing
import UPMCClient

/// Badge options × bounds: what is refused before anything is sent, and what the server then counts.
@Suite(.slow) struct BadgeTableTests {
  private static let token = ClientStage.token("a1")

  /// Option, number, the count before is 3 → the count after; nil: refused before the wire.
  static let rows: [(BadgeOption, Int?, Int?)] = [
    (.keep, nil, 2), (.keep, 1, nil), (.keep, 0, nil),
    (.reset, nil, 0), (.reset, 0, nil), (.reset, 1, nil),
    (.update, nil, nil), (.update, -1, nil), (.update, 0, nil), (.update, 1, 1), (.update, 2, 2), (.update, 999, 999),
    (.update, 1000, 1000), (.update, 1001, nil), (.update, .max, nil),
    (.force, nil, nil), (.force, 0, nil), (.force, 1, 1), (.force, 1000, 1000), (.force, 1001, nil),
    (.force, .min, nil),
  ]

  @Test func `each option with each number does what the documents say`() async throws {
    let stage = try ClientStage()
    let way = CountingTransport(stage.transport)
    let client = try stage.client(through: way)
    try await client.register(token: Self.token, user: ClientUser("kim"))
    for (option, badge, after) in Self.rows {
      let seqno = try await stage.send(#"{"clientUids":["kim"]}"#)
      let push = try stage.payload(seqno, Self.token)
      #expect(try await client.update(badge: 3) == 3)
      let before = way.count
      if let after {
        #expect(try await client.read(push, badgeOption: option, badge: badge) == .recorded(badge: after))
        #expect(try await client.badge() == after, "\(option) \(badge ?? -1)")
        // Once more: only a force acts again.
        #expect(try await client.update(badge: 7) == 7)
        let again = try await client.read(push, badgeOption: option, badge: badge)
        #expect(again == .recorded(badge: option == .force ? after : 7), "\(option)")
      } else {
        await #expect(throws: ClientError.self) { try await client.read(push, badgeOption: option, badge: badge) }
        #expect(way.count == before)
        #expect(await client.waitingConfirmations == 0)
        #expect(try await client.badge() == 3)
      }
    }
    for badge in [Int.min, -1, 0, 1001, .max] {
      let before = way.count
      await #expect(throws: ClientError.badgeOutOfRange(badge)) { try await client.update(badge: badge) }
      #expect(way.count == before)
    }
    #expect(try await client.update(badge: 1) == 1)
    #expect(try await client.update(badge: 1000) == 1000)
  }
}
