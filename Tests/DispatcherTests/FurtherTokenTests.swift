import Postgres
import Store
import Testing

@testable import Dispatcher
@testable import Domain

/// What answers tell about tokens beside a device's ordinary one.
@Suite struct FurtherTokenTests {
  private static let voip = #","pushType":"voip""#

  /// Two devices with a token for calls, given an hour ago.
  private func world(_ script: @escaping ScriptedNetwork.Script) throws -> DispatcherWorld {
    let world = try DispatcherWorld(script)
    try world.makeDevices(1..<3)
    try world.connection.script(
      """
      INSERT INTO psids (app, psid, network, kind, device, bound_at)
      SELECT app, 'call' || device_id, network, \(TokenKind.voip.rawValue), device, now() - interval '1 hour'
      FROM devices
      """)
    return world
  }

  private static let hoursMilliseconds: Int64 = 3_600_000

  @Test func `a dead token for calls is never tried again, and its device stays`() throws {
    let world = try world { _, target, _ in
      DispatcherWorld.number(target) == 1 && target.psid.hasPrefix("call")
        ? .badToken(reason: "Unregistered", since: .max / 1000) : .accepted
    }
    let first = try world.finished(try world.send(#"{"all":true}"#, Self.voip))
    #expect((first.funnel.accepted, first.funnel.rejected) == (1, 1), "\(first)")
    let second = try world.finished(try world.send(#"{"all":true}"#, Self.voip))
    #expect((second.funnel.accepted, second.funnel.skipped) == (1, 1), "\(second)")
    #expect(second.reasons.contains("no-token"))
    #expect(try world.finished(try world.send()).funnel.accepted == 2)
    #expect(try world.count("former_psids WHERE psid = 'calld1'") == 1)
    #expect(try world.quarantine().isEmpty)
  }

  @Test func `one that was given after it is said to have died is kept`() throws {
    let world = try world { _, _, attempt in
      attempt == 1 ? .badToken(reason: "Unregistered", since: Self.hoursMilliseconds) : .accepted
    }
    _ = try world.finished(try world.send(#"{"all":true}"#, Self.voip))
    #expect(try world.count("psids WHERE kind = \(TokenKind.voip.rawValue)") == 2)
  }
}
