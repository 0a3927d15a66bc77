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
      let reply = try world.client.call(
        "PUT", "/v1/devices/\(device.string("device") ?? "")/activities/\(activity)",
        bearer: device.string("authKey"), #"{"psid":"\#(token)"}"#)
      #expect(reply.status == 204, "\(reply.text)")
    }
  }

  private func send(_ event: String, _ state: Int, to activity: String? = nil) throws -> Reply {
    let activity = activity.map { #","activityId":"\#($0)""# } ?? ""
    let sent = try world.client.call(
      "POST", "/v1/admin/messages", bearer: world.apiKey,
      """
      {"appId":"\(World.appID)","audience":{"clientUids":["kim"]},
       "liveActivity":{"event":"\(event)","timestamp":\(state),"contentState":{"n":\(state)}\(activity)}}
      """)
    return try world.finished(try #require(sent.string("seqno"), "\(sent.text)"))
  }

  /// The states that an activity was shown, in order.
  private func states(_ token: String) throws -> [Int] {
    try world.payloads(token).map { payload in
      let aps = try #require(payload["aps"] as? [String: Any])
      return try #require((aps["content-state"] as? [String: Any])?["n"] as? Int)
    }
  }

  @Test func `two activities of a device are updated together and one by one`() throws {
    #expect(try send("update", 1).int("accepted") == 1)
    #expect(try send("update", 2, to: "dinner").int("accepted") == 1)
    #expect(try send("update", 3, to: "lunch").int("accepted") == 1)
    #expect(try send("end", 4, to: "lunch").int("accepted") == 1)
    #expect(try send("update", 5, to: "dinner").int("accepted") == 1)
    #expect(try states(Self.lunch) == [1, 3, 4] && states(Self.dinner) == [1, 2, 5])
    // The device's own token is none of theirs.
    #expect(world.simulator.deliveries(to: World.token("a1")).isEmpty)
  }

  @Test func `an activity that Apple has forgotten does not silence the other one`() throws {
    world.simulator.register(token: Self.lunch, state: .unregistered(since: .max / 1_000_000))
    #expect(try send("update", 1).int("accepted") == 1)
    #expect(try send("update", 2).int("accepted") == 1)
    #expect(try states(Self.dinner) == [1, 2] && states(Self.lunch).isEmpty)
    // The forgotten one was tried once; after that its device has no such activity.
    #expect(world.simulator.counters().rejected["Unregistered"] == 1)
    #expect(try send("update", 3, to: "lunch").int("skipped") == 1)
  }
}
