import Crypto
import Operations
import Simulator
import TestSupport
import Testing

@testable import Server

/// A new APNs key is tried once, and whoever stores it hears what Apple said; a made-up one harms nobody else.
@Suite(.serialized) struct KeyCheckTests {
  private func store(
    _ world: World, _ pem: String, of app: String = World.appID, keyID: String? = nil
  ) throws -> Reply {
    let key = world.started.providerKey
    let text = pem.split(separator: "\n").joined(separator: "\\n")
    return try world.client.call(
      "PUT", "/v1/admin/credentials", bearer: world.apiKey,
      #"{"appId":"\#(app)","apnsKey":{"pem":"\#(text)","keyId":"\#(keyID ?? key.keyID)","teamId":"\#(key.teamID)"}}"#)
  }

  private func check(_ reply: Reply) -> [String: Any] { reply["check"] as? [String: Any] ?? [:] }

  private func listed(_ world: World, _ app: String = World.appID) throws -> [String: Any] {
    let reply = try world.client.call("GET", "/v1/admin/credentials?appId=\(app)", bearer: world.apiKey)
    let items = try #require(reply["items"] as? [[String: Any]])
    return items.first?["check"] as? [String: Any] ?? [:]
  }

  /// What the network said of the key: in the answer when it came in time, in the list as soon as it is there.
  private func verdict(
    _ reply: Reply, _ world: World, _ app: String = World.appID
  ) throws -> [String: Any] {
    let told = check(reply)
    guard told.isEmpty else { return told }
    return try poll("nobody has tried the key") {
      let listed = try listed(world, app)
      return listed["result"] == nil ? nil : listed
    }
  }

  @Test func `a good key works by Apple's word, which is kept and shown`() throws {
    let world = try World { $0.unregisteredTokens = .refused }
    #expect(try listed(world).isEmpty, "it was stored before the server ran")
    let reply = try store(world, world.started.providerKey.privateKeyPEM)
    #expect(reply.status == 200, "\(reply.text)")
    let verdict = try verdict(reply, world)
    #expect(verdict["result"] as? String == "works", "\(verdict)")
    #expect(verdict["word"] as? String == "BadDeviceToken", "\(verdict)")
    #expect(try listed(world)["result"] as? String == "works")
    #expect(world.simulator.counters().requests == 1)
  }

  @Test func `a made-up key under the names of another tenant's is refused, and the other tenant pushes on`() throws {
    let world = try World()
    try world.register("d1", token: World.token("a1"), user: "kim")
    _ = try Administration.createApp(
      "com.example.other", name: "O", timeZone: "UTC", by: .commandLine, on: world.connection)
    let reply = try store(world, P256.PrivateKey().pem, of: "com.example.other")
    #expect(reply.status == 200, "\(reply.text)")
    let verdict = try verdict(reply, world, "com.example.other")
    #expect(verdict["result"] as? String == "refused", "\(verdict)")
    #expect((verdict["word"] as? String)?.contains("InvalidProviderToken") == true, "\(verdict)")
    for _ in 0..<5 {
      #expect(try world.finished(try world.send(#"{"clientUids":["kim"]}"#)).int("accepted") == 1)
    }
  }

  @Test func `where Apple cannot be reached the key is stored, and the answer says so`() throws {
    let world = try World { _ in
    } server: {
      // Nobody listens there.
      $0.apnsProduction = try Configuration.service("test", "https://127.0.0.1:9")
    }
    let reply = try store(world, world.started.providerKey.privateKeyPEM)
    #expect(reply.status == 200, "\(reply.text)")
    #expect(reply["check"] == nil || check(reply)["result"] as? String != "works", "\(reply.text)")
    let found = try poll("nothing was written down") {
      try listed(world)["result"] as? String
    }
    #expect(found == "unreachable")
  }
}
