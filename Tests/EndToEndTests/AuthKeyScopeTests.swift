import Operations
import Postgres
import TestSupport
import Testing

/// A device's key opens that device in its own app, as long as it stands, and nothing else.
@Suite struct AuthKeyScopeTests {
  private let world: World
  private let device: String
  private let authKey: String

  init() throws {
    world = try World()
    let reply = try world.register("phone", token: World.token("a1"), user: "kim")
    device = try #require(reply.string("device"))
    authKey = try #require(reply.string("authKey"))
  }

  private func register(app: String = World.appID, _ deviceID: String, _ token: String) throws -> Reply {
    try world.client.call(
      "POST", "/v1/devices", bearer: authKey,
      #"{"appId":"\#(app)","pnsId":"APNS","environment":"production","psid":"\#(World.token(token))","deviceId":"\#(deviceID)","clientUid":"lee"}"#
    )
  }

  @Test func `it registers its own device again`() throws {
    #expect(try register("phone", "a2").status == 200)
  }

  @Test func `it registers no other device`() throws {
    let reply = try register("another", "a2")
    #expect(reply.status == 403 && reply.string("type") == "upmc:forbidden", "\(reply.text)")
  }

  @Test func `it registers nothing in another app`() throws {
    _ = try Administration.createApp(
      "com.example.shop", name: "Shop", timeZone: "Asia/Seoul", by: .commandLine, on: world.connection)
    for name in ["phone", "another"] {
      let reply = try poll("the catalog has not heard of the app") {
        let reply = try register(app: "com.example.shop", name, "a2")
        return reply.status == 401 ? nil : reply
      }
      #expect(reply.status == 403, "\(reply.text)")
    }
  }

  @Test func `it ends with its device`() throws {
    #expect(try world.client.call("DELETE", "/v1/devices/\(device)", bearer: authKey).status == 204)
    let unregistered = try register("phone", "a1")
    #expect(unregistered.status == 401 && unregistered.string("type") == "upmc:bad-credential", "\(unregistered.text)")
    let again = try world.register("phone", token: World.token("a1"), user: "kim")
    #expect(again.status == 200, "\(again.text)")
  }

  @Test func `it brings a device back whose token went to another one`() throws {
    #expect(try world.register("another", token: World.token("a1"), user: "lee").status == 201)
    #expect(try register("phone", "a2").status == 200)
  }

  @Test func `it ends when the person is erased`() throws {
    let erased = try world.client.call(
      "DELETE", "/v1/admin/users/kim?appId=\(World.appID)", bearer: world.apiKey)
    #expect(erased.status == 200, "\(erased.text)")
    let reply = try register("phone", "a1")
    #expect(reply.status == 401, "\(reply.text)")
  }

  @Test func `it stays when somebody else comes with the DEVICE_ID and another token`() throws {
    // The client key and the DEVICE_ID, without the device's own key: another device, for all we know.
    let other = try world.register("phone", token: World.token("a3"), user: nil)
    #expect(other.status == 201 && other.string("device") != device, "\(other.text)")
    #expect(try register("phone", "a2").status == 200)
    #expect(try world.count("SELECT count(*) FROM devices WHERE device = '\(device)' AND state = 1") == 1)
    #expect(try world.count("SELECT count(*) FROM psids") == 2)
  }
}
