import Postgres
import Reactor
import Store
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// Sends that a committer has claimed.
@Suite struct LaunchTests {
  private func stored(
    _ world: DispatcherWorld, _ seqno: Seqno = 900, to device: Int = 1, lane: Lane = .urgent, isHeld: Bool
  ) throws -> ClaimedSend {
    try world.makeDevices(device..<device + 1)
    let json = #"{"appId":"\#(DispatcherWorld.appID)","audience":{"clientUids":["00000001"]},"alert":{"body":"x"}}"#
    let members = try world.connection.run(Audiences.bound([DispatcherWorld.device(device)]))
    let entries = members.values.map { Claims.Entry(device: $0.device, userKey: $0.userKey, attempts: 0) }
    // In one transaction, as the committer does: the janitor closes a message that has no claim.
    let claim = try world.connection.withTransaction {
      try world.connection.script(
        """
        INSERT INTO messages (seqno, app, state, lane, request, request_sha256, targeted, created_at, expires_at, frozen_at,
          planned)
        VALUES (\(seqno), \(world.app), 2, \(lane.rawValue), '\(json)', '', 1, now(), now() + interval '1 day', now(),
          true)
        """)
      return try world.connection.run(Claims.create(seqno, node: UUIDValue(high: 1, low: 1), entries))
    }
    let message = try #require(try world.connection.run(Messages.find(seqno)))
    return ClaimedSend(
      message: message, request: try MessageRequest(json: Array(json.utf8)), claim: claim,
      members: Array(members.values), badges: [:], names: [:], readAt: SystemClock().now, isHeld: isHeld)
  }

  @Test func `what is known to be held never gets to the network`() throws {
    let world = try DispatcherWorld()
    try world.connection.run(AppPauses.pause(world.app, reason: "a flood"))
    let send = try stored(world, isHeld: true)
    world.dispatchers[0].launch([send])
    try world.settled(900)
    #expect(world.network.log.isEmpty)
    #expect(try world.count("outcomes WHERE seqno = 900 AND status = 6 AND due_at IS NOT NULL") == 1)
    try world.resume()
    #expect(try world.finished(900).funnel.accepted == 1)
  }

  @Test func `the sends of one commit leave each for itself, whatever their lanes`() throws {
    let world = try DispatcherWorld()
    let sends = [
      try stored(world, 900, isHeld: false), try stored(world, 901, to: 2, lane: .bulk, isHeld: false),
      try stored(world, 902, to: 3, isHeld: true),
    ]
    world.dispatchers[0].launch(sends)
    for send in sends { #expect(try world.finished(send.message.seqno).funnel.accepted == 1) }
    #expect(world.network.log.count == 3)
    #expect(try world.count("claims") == 0)
  }

  /// The committer stalls between commit and launch, and an audit takes the claim up meanwhile.
  @Test func `a claim that is launched late, and found by an audit as well, leaves once`() throws {
    let world = try DispatcherWorld()
    let send = try stored(world, isHeld: true)
    let node = world.dispatchers[0]
    world.network.hold([DispatcherWorld.device(1)])
    node.launch([send])
    try poll("it does not leave") { world.network.held == 1 ? () : nil }
    node.launch([send])
    try poll("it is taken for another claim") { node.underWay() == 1 ? () : nil }
    world.network.answerHeld()
    #expect(try world.finished(900).funnel.accepted == 1)
    #expect(world.network.log.count == 1)
    #expect(try world.count("claims") == 0)
  }

  @Test func `what was held a moment ago leaves all the same`() throws {
    let world = try DispatcherWorld()
    world.dispatchers[0].launch([try stored(world, isHeld: true)])
    #expect(try world.finished(900).funnel.accepted == 1)
  }
}
