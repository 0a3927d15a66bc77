import Crypto
import Domain
import Foundation
import Operations
import Postgres
import Testing

@testable import Server

/// Apps built with the existing SDK where naming a user needs a proof: the SDK has no word for one.
@Suite struct SDKProofTests {
  private static let phone = ["DEVICE_TYPE": "I", "APNS_MODE": "REAL"]
  private let world: World
  private let secret: String

  init() throws {
    world = try World(identity: .proof)
    secret = try Administration.userProofSecret(
      of: World.appID, master: try World.master, by: .commandLine,
      on: world.connection
    ).secret
  }

  private func proof(of clientUID: String) -> String {
    let key = SymmetricKey(Array(secret.utf8))
    return HMAC.authenticationCode(for: Array(clientUID.utf8), using: key)
      .map { String(format: "%02x", $0) }.joined()
  }

  private func app(_ deviceID: String = "phone", token: String = World.token("d1"), cuid: String = "kim") -> SDKClient {
    SDKClient(port: world.port, appID: World.appID, psid: token, deviceID: deviceID, cuid: cuid)
  }

  private func register(_ app: SDKClient, _ more: [String: String] = [:]) throws -> SDKAnswer {
    try app.call("new_rcv_register_service_and_user.ctl", Self.phone.merging(more) { $1 })
  }

  private func registrationState(_ app: SDKClient) throws -> String? {
    try app.call("rcv_get_service.ctl", Self.phone).row["ISREGISTERED"] as? String
  }

  private func name(of clientUID: String) throws -> String? {
    let reply = try world.client.call(
      "GET", "/v1/admin/users/\(clientUID)?appId=\(World.appID)", bearer: world.apiKey)
    return reply.string("name") ?? reply.string("clientName")
  }

  @Test func `without a proof the device is registered, as a guest, and is told to name its user again`() throws {
    let thief = app()
    #expect(try register(thief, ["CNAME": "Kim"]).isOK)
    #expect(try registrationState(thief) == "C")
    #expect(try thief.call("rcv_register_user.ctl", ["CNAME": "Kim"]).isOK)
    #expect(try registrationState(thief) == "C")
    #expect(try world.send(#"{"clientUids":["kim"]}"#) != "")
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim'") == 0)
    #expect(try world.count("SELECT count(*) FROM users WHERE user_key = 'ukim' AND name <> ''") == 0)
  }

  @Test func `the field USERPROOF carries it`() throws {
    let own = app()
    #expect(try register(own, ["CNAME": "Kim", "USERPROOF": proof(of: "kim")]).isOK)
    #expect(try registrationState(own) == "Y")
    // The SDK registers again at each start, with what it knows: the user stays.
    #expect(try register(own, ["CNAME": "Kim"]).isOK)
    #expect(try own.call("rcv_register_user.ctl", ["CNAME": "Kim"]).isOK)
    #expect(try registrationState(own) == "Y")
  }

  @Test func `the end of CNAME carries it, for apps that control no other field, and is not kept`() throws {
    let own = app()
    #expect(try register(own, ["CNAME": "Kim\u{1F}\(proof(of: "kim"))"]).isOK)
    #expect(try registrationState(own) == "Y")
    #expect(try world.count("SELECT count(*) FROM users WHERE user_key = 'ukim' AND name = 'Kim'") == 1)
    let other = app("other", token: World.token("d2"), cuid: "lee")
    #expect(try other.call("rcv_register_service.ctl", Self.phone).isOK)
    #expect(try other.call("rcv_register_user.ctl", ["CNAME": "\u{1F}\(proof(of: "lee"))"]).isOK)
    #expect(try registrationState(other) == "Y")
    #expect(try world.count("SELECT count(*) FROM users WHERE user_key = 'ulee' AND name = ''") == 1)
  }

  @Test func `another person's proof, or a made-up one, is refused in words, and changes nothing`() throws {
    let thief = app()
    for wrong in [proof(of: "lee"), "00", String(repeating: "a", count: 2048)] {
      let answer = try register(thief, ["CNAME": "Kim", "USERPROOF": wrong])
      #expect(answer.code == "500" && answer.reason?.contains("USERPROOF") == true, "\(answer)")
    }
    let answer = try register(thief, ["USERPROOF": String(repeating: "a", count: 2049)])
    #expect(answer.code == "500" && answer.reason?.contains("USERPROOF") == true, "\(answer)")
    #expect(try world.count("SELECT count(*) FROM devices WHERE device_id = 'phone'") == 0)
  }

  @Test func `who signs in on somebody's phone without a proof ends what it got for that person`() throws {
    let phone = app()
    #expect(try register(phone, ["USERPROOF": proof(of: "kim")]).isOK)
    phone.common["CUID"] = "lee"
    #expect(try phone.call("rcv_register_user.ctl", ["CNAME": "Lee"]).isOK)
    #expect(try registrationState(phone) == "C")
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim' OR user_key = 'ulee'") == 0)
  }

  @Test func `a new token without the device's own key gets no user that nobody proves, and takes none away`() throws {
    let own = app()
    #expect(try register(own, ["USERPROOF": proof(of: "kim")]).isOK)
    let thief = app("phone", token: World.token("d9"))
    #expect(try register(thief).isOK)
    #expect(try registrationState(thief) == "C")
    #expect(try registrationState(own) == "Y")
    #expect(try world.count("SELECT count(*) FROM devices WHERE user_key = 'ukim'") == 1)
  }

  @Test func `a key of one's own device, got with another's PSID, reports reads there but sets no count`() throws {
    let (kim, thief) = (app(), app("thief", token: World.token("d2"), cuid: "lee"))
    #expect(try register(kim, ["USERPROOF": proof(of: "kim")]).isOK)
    #expect(try register(thief, ["USERPROOF": proof(of: "lee")]).isOK)
    let seqnos = try (1...2).map { _ in try world.send(#"{"clientUids":["kim"]}"#, #","badge":{"increment":4}"#) }
    for seqno in seqnos { _ = try world.finished(seqno) }
    // The answer contains a key for the PSID that the call names.
    thief.common["PSID"] = World.token("d1")
    #expect(try thief.call("rcv_register_user.ctl").isOK)
    #expect(thief.keysAsked == 1)
    #expect(try thief.call("rcv_register_send_result.ctl", ["SEQNO": seqnos[0], "BADGENO": "0"]).isOK)
    #expect(try world.count("SELECT badge FROM users WHERE user_key = 'ukim'") == 7)
    #expect(try kim.call("rcv_register_send_result.ctl", ["SEQNO": seqnos[1], "BADGENO": "3"]).isOK)
    #expect(try world.count("SELECT badge FROM users WHERE user_key = 'ukim'") == 3)
  }

  @Test func `where no proof is needed the mark in CNAME is taken off all the same`() throws {
    let open = try World()
    let app = SDKClient(port: open.port, appID: World.appID, psid: World.token("d1"), deviceID: "p", cuid: "kim")
    #expect(try register(app, ["CNAME": "Kim\u{1F}whatever"]).isOK)
    #expect(try open.count("SELECT count(*) FROM users WHERE user_key = 'ukim' AND name = 'Kim'") == 1)
  }

  @Test func `keys that are switched off are asked for all the same where users are vouched for`() throws {
    for (identity, code) in [(App.Identity.open, "0000"), (.proof, "40100")] {
      let world = try World(identity: identity, server: { try $0.setSDK("UPMC_CTL_AUTHORIZATION", "off") })
      let app = SDKClient(port: world.port, appID: World.appID, psid: World.token("d1"), deviceID: "p", cuid: "kim")
      let answer = try app.post("rcv_register_service.ctl", Self.phone)
      #expect(answer.code == code, "\(identity): \(answer)")
    }
  }
}
