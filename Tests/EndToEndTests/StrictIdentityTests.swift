import Domain
import Foundation
import Operations
import TestSupport
import Testing

@testable import Server

/// Strict apps: a device is the user's when the app's server vouches for it and a push has reached it.
@Suite struct StrictIdentityTests {
  private static let token = World.token("a1")
  private let world: World

  init() throws {
    world = try World(identity: .strict)
  }

  private func vouch() throws {
    let reply = try world.client.call(
      "POST", "/v1/admin/users/kim/vouchers", bearer: world.apiKey, #"{"appId":"\#(World.appID)","expiresIn":"PT5M"}"#)
    #expect(reply.status == 201, "\(reply.text)")
  }

  /// The silent push that a registration asks for: SEQNO and pushkey.
  private func silentPush() throws -> (seqno: String, pushkey: String) {
    try poll("no silent push came") {
      let payload = try world.payloads(Self.token).last { ($0["aps"] as? [String: Any])?["content-available"] != nil }
      guard let mps = payload?["mps"] as? [String: Any], let seqno = mps["seqno"] as? String,
        let pushkey = mps["pushkey"] as? String
      else { return nil }
      return (seqno, pushkey)
    }
  }

  private func provePossession(_ device: Reply, _ seqno: String, _ pushkey: String) throws -> Reply {
    try world.client.call(
      "POST", "/v1/devices/\(try #require(device.string("device")))/possession",
      bearer: device.string("authKey"),
      #"{"seqno":"\#(seqno)","psid":"\#(Self.token)","pushkey":"\#(pushkey)"}"#)
  }

  @Test func `the user is the device's when the silent push has come back, and not before`() throws {
    let before = try world.send(#"{"all":true}"#)
    _ = try world.finished(before)
    try vouch()
    let device = try world.register("phone", token: Self.token, user: "kim")
    #expect(device.status == 201 && device["awaitsPush"] as? Bool == true && device["user"] is NSNull, "\(device.text)")
    let (seqno, pushkey) = try silentPush()
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim'") == 0)
    let bound = try provePossession(device, seqno, pushkey)
    #expect(bound.status == 200 && bound.string("identity") == "strict", "\(bound.text)")
    #expect((bound["user"] as? [String: Any])?["clientName"] as? String == "Name of kim", "\(bound.text)")
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim' AND identity = 2") == 1)
    // The keys of the guest that it was have ended, except for this very call, whose answer can have been lost.
    let repeated = try provePossession(device, seqno, pushkey)
    #expect(repeated.status == 200 && repeated.string("authKey") == bound.string("authKey"), "\(repeated.text)")
    #expect(repeated.string("identity") == "strict", "\(repeated.text)")
    let path = "/v1/devices/\(device.string("device") ?? "")"
    #expect(try world.client.call("GET", path, bearer: device.string("authKey")).status == 401)
    // With its own, once more changes nothing.
    let again = try world.client.call(
      "POST", "/v1/devices/\(device.string("device") ?? "")/possession", bearer: bound.string("authKey"),
      #"{"seqno":"\#(seqno)","psid":"\#(Self.token)","pushkey":"\#(pushkey)"}"#)
    #expect(again.status == 200 && again.string("identity") == "strict", "\(again.text)")
    let sent = try world.send(#"{"clientUids":["kim"]}"#, #","confidential":true"#)
    #expect(try world.finished(sent).int("accepted") == 1)
    // Another push takes the key that it has now.
    #expect(try provePossession(device, sent, try world.pushkey(sent, Self.token)).status == 401)
    // The notice is taken away after its push was sent.
    _ = try poll("the notice stays") { try world.count("SELECT count(*) FROM device_notices") == 0 ? true : nil }
  }

  @Test func `a made-up pushkey, and a push from before, show nothing`() throws {
    #expect(try world.register("phone", token: Self.token, user: nil).status == 201)
    let former = try world.send(#"{"all":true}"#)
    _ = try world.finished(former)
    try vouch()
    let device = try world.register("phone", token: Self.token, user: "kim")
    let wrong = try provePossession(device, former, String(repeating: "0", count: 40))
    #expect(wrong.status == 403, "\(wrong.text)")
    let old = try provePossession(device, former, try world.pushkey(former, Self.token))
    #expect(old.status == 422 && old.string("type") == "upmc:impossible", "\(old.text)")
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim'") == 0)
    // Any push that comes afterwards does.
    let next = try world.send(#"{"all":true}"#)
    _ = try world.finished(next)
    #expect(try provePossession(device, next, try world.pushkey(next, Self.token)).status == 200)
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim'") == 1)
  }

  @Test func `a device that comes back without its key stays the user's, and gets a key by returning a push`() throws {
    try vouch()
    let device = try world.register("phone", token: Self.token, user: "kim")
    let first = try silentPush()
    #expect(try provePossession(device, first.seqno, first.pushkey).status == 200)
    let again = try world.register("phone", token: Self.token, user: "kim")
    #expect(again.status == 200 && again["awaitsPush"] as? Bool == true && again["user"] is NSNull, "\(again.text)")
    let path = "/v1/devices/\(again.string("device") ?? "")/badge"
    let refused = try world.client.call("GET", path, bearer: again.string("authKey"))
    #expect(refused.status == 403 && refused.text.contains("possession"), "\(refused.text)")
    #expect(try provePossession(again, first.seqno, first.pushkey).status == 422)
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim'") == 1)
    let second: (seqno: String, pushkey: String) = try poll("no second push came") {
      let push = try silentPush()
      return push.seqno == first.seqno ? nil : push
    }
    let bound = try provePossession(again, second.seqno, second.pushkey)
    #expect(bound.status == 200 && bound.string("identity") == "strict", "\(bound.text)")
    #expect(try world.client.call("GET", path, bearer: bound.string("authKey")).status == 200)
  }

  @Test func `the inbox of a device that awaits its push does not show a pushkey to return instead`() throws {
    let guest = try world.register("other", token: World.token("b2"), user: nil)
    try vouch()
    let device = try world.register("phone", token: Self.token, user: "kim")
    let sent = try world.send(#"{"all":true}"#, #","inbox":"P90D""#)
    _ = try world.finished(sent)
    func inbox(_ device: Reply) throws -> Reply {
      try world.client.call(
        "GET", "/v1/devices/\(device.string("device") ?? "")/inbox", bearer: device.string("authKey"))
    }
    let seen = try inbox(guest)
    #expect(seen.status == 200 && (seen["items"] as? [Any])?.count == 1, "\(seen.text)")
    // The entry's pushkey is also that of the push, which the device has to return.
    let hidden = try inbox(device)
    #expect(hidden.status == 200 && (hidden["items"] as? [Any])?.isEmpty == true, "\(hidden.text)")
    #expect(hidden.int("unread") == 0, "\(hidden.text)")
    let left = try world.client.call(
      "DELETE", "/v1/devices/\(device.string("device") ?? "")/user", bearer: device.string("authKey"))
    #expect(left.status == 204, "\(left.text)")
    let shown = try inbox(device)
    #expect((shown["items"] as? [Any])?.count == 1, "\(shown.text)")
  }

  @Test func `the SDK's API says in words that it is the wrong one`() throws {
    let sdk = SDKClient(port: world.port, appID: World.appID, psid: Self.token, deviceID: "phone", cuid: "kim")
    for controller in ["asking_authorization.ctl", "rcv_register_service.ctl", "rcv_get_service.ctl"] {
      let answer = try sdk.post(controller, ["DEVICE_TYPE": "I", "APNS_MODE": "REAL"])
      #expect(!answer.isOK && answer.reason?.contains("/v1/devices") == true, "\(controller): \(answer)")
    }
    #expect(try world.count("SELECT count(*) FROM devices") == 0)
  }
}
