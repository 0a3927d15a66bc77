import Foundation
import Simulator
import TestTier
import Testing

/// Live Activities of one device, registered over the API and updated through APNs.
@Suite(.slow, .serialized) struct LiveActivityTests {
  private static let (lunch, dinner) = (World.token("e1"), World.token("e2"))

  private let world: World

  /// A device with two activities.
  init() throws {
    world = try World { $0.rules.checksPayload = true }
    let device = try world.register("d1", token: World.token("a1"), user: "kim")
    for (activity, token) in [("lunch", Self.lunch), ("dinner", Self.dinner)] {
      try world.addActivity(activity, token: token, of: device)
    }
  }

  /// The states that an activity was shown, in order.
  private func states(_ token: String) throws -> [Int] {
    try world.payloads(token).map { payload in
      let aps = try #require(payload["aps"] as? [String: Any])
      return try #require((aps["content-state"] as? [String: Any])?["n"] as? Int)
    }
  }

  @Test func `two activities of a device are updated together and one by one`() throws {
    #expect(try world.sendActivity("update", 1).int("accepted") == 1)
    #expect(try world.sendActivity("update", 2, to: "dinner").int("accepted") == 1)
    #expect(try world.sendActivity("update", 3, to: "lunch").int("accepted") == 1)
    #expect(try world.sendActivity("end", 4, to: "lunch").int("accepted") == 1)
    #expect(try world.sendActivity("update", 5, to: "dinner").int("accepted") == 1)
    #expect(try states(Self.lunch) == [1, 3, 4] && states(Self.dinner) == [1, 2, 5])
    // The device's own token is none of theirs.
    #expect(world.simulator.deliveries(to: World.token("a1")).isEmpty)
  }

  @Test func `an activity that Apple has forgotten does not silence the other one`() throws {
    world.simulator.register(token: Self.lunch, state: .unregistered(since: .max / 1_000_000))
    #expect(try world.sendActivity("update", 1).int("accepted") == 1)
    #expect(try world.sendActivity("update", 2).int("accepted") == 1)
    #expect(try states(Self.dinner) == [1, 2] && states(Self.lunch).isEmpty)
    // The forgotten one was tried once; after that its device has no such activity.
    #expect(world.simulator.counters().rejected["Unregistered"] == 1)
    #expect(try world.sendActivity("update", 3, to: "lunch").int("skipped") == 1)
  }
}
