import Domain
import Foundation
import Testing
import TestTier
import UPMCClient

/// Every call of the client, against a real server.
@Suite(.slow) struct ClientCallTests {
  private static let token = ClientStage.token("a1")
  private let stage: ClientStage

  init() throws {
    stage = try ClientStage()
  }

  @Test func `a device registers with its user, keeps it with another token, and leaves`() async throws {
    let client = try stage.client()
    let first = try await client.register(token: Self.token.uppercased(), user: ClientUser("kim01", name: "Kim"))
    #expect(first.clientUID == "kim01" && first.clientName == "Kim" && first.badge == 0 && first.identity == "open")
    let moved = try await client.register(token: ClientStage.token("b2"))
    #expect(moved.device == first.device && moved.clientUID == "kim01" && moved.token == ClientStage.token("b2"))
    #expect(try await client.register(user: ClientUser("lee")).clientUID == "lee")
    try await client.unregisterUser()
    #expect(await client.status(mayShow: true, token: ClientStage.token("b2")).registration?.clientUID == nil)
    try await client.unregisterService()
    try await client.unregisterService()
    await #expect(throws: ClientError.notRegistered) { try await client.badge() }
    #expect(try await client.register(token: Self.token).clientUID == nil)
  }

  @Test func `the client of another process goes on with the same registration`() async throws {
    let first = try await stage.client().register(token: Self.token, user: ClientUser("kim"))
    #expect(try await stage.client().badge() == 0)
    #expect(try await stage.client().register(token: Self.token).device == first.device)
  }

  @Test func `a device whose key has ended registers with the app's`() async throws {
    let client = try stage.client()
    try await client.register(token: Self.token, user: ClientUser("kim"))
    let keys = FileKeyStore(directory: "\(stage.directory)/phone/keys")
    let stored = String(decoding: try #require(try keys.read("registration")), as: UTF8.self)
    let broken = stored.replacing(#/"authKey":"[^"]*"/#, with: #""authKey":"ended""#)
    try keys.write(Array(broken.utf8), "registration")
    #expect(await client.status(mayShow: nil, token: Self.token).findings == [.unknownToServer])
    #expect(try await client.register(token: Self.token).clientUID == "kim")
    #expect(await client.status(mayShow: nil, token: Self.token).isWell)
  }

  @Test func `a user joins and leaves groups`() async throws {
    let client = try stage.client()
    try await client.register(token: Self.token, user: ClientUser("kim"))
    let made = try await stage.admin("POST", "/groups", #"{"appId":"\#(ClientStage.appID)","name":"News"}"#)
    let group = try #require(made["groupSeq"] as? String)
    try await client.register(group: group)
    try await client.register(group: group)
    #expect(try await client.groups().map(\.name) == ["News"])
    try await client.unregister(group: group)
    #expect(try await client.groups().isEmpty)
    await #expect(throws: ClientError.self) { try await client.register(group: "999999") }
    await #expect(throws: ClientError.self) { try await client.register(group: "../badge") }
  }

  @Test func `a receipt and a read are recorded once, however often they are sent`() async throws {
    let client = try stage.client()
    try await client.register(token: Self.token, user: ClientUser("kim"))
    let seqno = try await stage.send(#"{"clientUids":["kim"]}"#, #","badge":{"increment":1}"#)
    let push = try stage.payload(seqno, Self.token)
    #expect(push.title == "T" && push.badge == 1 && !push.isSilent)
    #expect(await client.receive(push) == .recorded(badge: nil))
    #expect(await client.receive(push, isExtension: true) == .recorded(badge: nil))
    #expect(await client.feedback(push, token: Self.token) == .recorded(badge: nil))
    #expect(try await client.read(push) == .recorded(badge: 0))
    #expect(try await client.read(push) == .recorded(badge: 0))
    #expect(try await stage.received(seqno) == 1)
    #expect(try await stage.read(seqno) == 1)
    #expect(await client.waitingConfirmations == 0)
  }

  @Test func `a receipt for a push that came to the token before is recorded`() async throws {
    let client = try stage.client()
    try await client.register(token: Self.token, user: ClientUser("kim"))
    let seqno = try await stage.send()
    let push = try stage.payload(seqno, Self.token)
    try await client.register(token: ClientStage.token("b2"))
    #expect(await client.receive(push) == .recorded(badge: nil))
    #expect(try await stage.received(seqno) == 1)
  }

  @Test func `a made-up pushkey and an unknown message are refused, and do not stay`() async throws {
    let client = try stage.client()
    try await client.register(token: Self.token)
    let made = try ReceivedPayload(
      json: Array(
        #"{"aps":{"alert":"x"},"mps":{"seqno":"104","pushkey":"\#(String(repeating: "0", count: 40))"}}"#.utf8))
    #expect(await client.receive(made) == .refused("invalid-pushkey"))
    #expect(await client.waitingConfirmations == 0)
  }

  @Test func `consents and further tokens are registered`() async throws {
    let client = try stage.client()
    try await client.register(token: Self.token, consent: ConsentChange(notification: true))
    #expect(try await client.consents().notification?.given == true)
    let now = try await client.set(ConsentChange(ad: true, nightAd: false))
    #expect(now.ad?.given == true && now.nightAd?.given == false && now.notification?.given == true)
    for kind in FurtherTokenKind.allCases {
      try await client.set(ClientStage.token("c3"), for: kind)
      try await client.end(kind)
      try await client.end(kind)
    }
    // Each live activity has its own.
    try await client.set(ClientStage.token("d4"), forActivity: "order-42", attributesType: "OrderAttributes")
    try await client.set(ClientStage.token("e5"), forActivity: "score:7")
    for _ in 0..<2 { try await client.end(activity: "order-42") }
    for bad in ["", ".", "..", "a b", "a/b", String(repeating: "a", count: 129)] {
      await #expect(throws: ClientError.self) { try await client.set(ClientStage.token("f6"), forActivity: bad) }
    }
    try await client.set(ConsentChange(notification: false))
    #expect(await client.status(mayShow: true, token: Self.token).findings == [.consentWithdrawn])
  }

  @Test func `the inbox shows what was sent, and an entry is read from it`() async throws {
    let client = try stage.client()
    try await client.register(token: Self.token, user: ClientUser("kim"))
    let first = try await stage.send(
      #"{"clientUids":["kim"]}"#, #","inbox":"P7D","badge":{"increment":1}"#)
    let second = try await stage.send(
      #"{"clientUids":["kim"]}"#, #","inbox":"P7D","badge":{"increment":1}"#)
    let page = try await client.inbox(limit: 1)
    #expect(page.items.map(\.seqno) == [second] && page.unread == 2)
    let rest = try await client.inbox(limit: 1, after: page.nextCursor)
    #expect(rest.items.map(\.seqno) == [first])
    #expect(try await client.read(try #require(rest.items[0].received)) == .recorded(badge: 1))
    #expect(try await client.inbox().unread == 1)
  }

  @Test func `the status names what keeps pushes away`() async throws {
    let client = try stage.client()
    #expect(
      await client.status(mayShow: false, token: nil).findings == [.notificationsOff, .noToken, .notRegistered])
    try await client.register(token: Self.token, user: ClientUser("kim"))
    #expect(await client.status(mayShow: true, token: Self.token).isWell)
    #expect(await client.status(mayShow: true, token: ClientStage.token("b2")).findings == [.tokenDiffers])
    await client.use(TokenEnvironment.sandbox)
    #expect(await client.status(mayShow: true, token: Self.token).findings == [.environmentDiffers])
    let lost = try stage.client(through: FakeTransport { _ in .failure(NoAnswer("away")) })
    #expect(await lost.status(mayShow: true, token: Self.token).findings == [.serverNotReached("no answer: away")])
  }
}

/// Apps that ask for proof of a user.
@Suite(.slow) struct ClientIdentityTests {
  private static let token = ClientStage.token("a1")

  @Test func `a user without proof is refused, and with the voucher of a log-in is the device's`() async throws {
    let stage = try ClientStage(identity: .proof)
    let client = try stage.client()
    await #expect(throws: ClientError.self) { try await client.register(token: Self.token, user: ClientUser("kim")) }
    #expect(
      await client.status(mayShow: true, token: Self.token).findings == [.notRegistered, .unproved(clientUID: "kim")])
    try await client.register(token: Self.token)
    await #expect(throws: ClientError.self) { try await client.register(user: ClientUser("kim", proof: "made up")) }
    #expect(await client.status(mayShow: true, token: Self.token).findings == [.unproved(clientUID: "kim")])
    _ = try await stage.admin(
      "POST", "/users/kim/vouchers", #"{"appId":"\#(ClientStage.appID)","expiresIn":"PT15M"}"#)
    #expect(try await client.register(user: ClientUser("kim", name: "Kim")).identity == "proof")
    #expect(await client.status(mayShow: true, token: Self.token).isWell)
    #expect(try await client.badge() == 0)
  }

  @Test func `a user with the proof of the app's server is the device's, and another's proof is refused`() async throws
  {
    let stage = try ClientStage(identity: .proof)
    let client = try stage.client()
    await #expect(throws: ClientError.self) {
      try await client.register(token: Self.token, user: ClientUser("kim", proof: stage.proof(of: "lee")))
    }
    let known = try await client.register(token: Self.token, user: ClientUser("kim", proof: stage.proof(of: "kim")))
    #expect(known.clientUID == "kim" && known.identity == "proof")
    // Another token keeps the user: the device shows its key.
    #expect(try await client.register(token: ClientStage.token("b2")).clientUID == "kim")
    #expect(try await client.register(user: ClientUser("lee", proof: stage.proof(of: "lee"))).clientUID == "lee")
  }

  @Test func `in a strict app the silent push is brought back, and binds the user`() async throws {
    let stage = try ClientStage(identity: .strict)
    let client = try stage.client()
    _ = try await stage.admin(
      "POST", "/users/kim/vouchers", #"{"appId":"\#(ClientStage.appID)","expiresIn":"PT15M"}"#)
    let waiting = try await client.register(token: Self.token, user: ClientUser("kim", name: "Kim"))
    #expect(waiting.awaitsPush && waiting.clientUID == nil)
    #expect(await client.status(mayShow: true, token: Self.token).findings == [.awaitsPush])
    let push = try stage.silentPush(Self.token)
    // The first answer is lost, and so is its repetition: the push comes once, so it must have been stored.
    let cut = try stage.client(through: FakeTransport { _ in .failure(NoAnswer("away")) })
    #expect(await cut.receive(push) == .notNeeded)
    await client.flush()
    let status = await client.status(mayShow: true, token: Self.token)
    #expect(status.isWell && status.registration?.clientUID == "kim" && status.registration?.identity == "strict")
    #expect(try await client.badge() == 0)
  }
}
