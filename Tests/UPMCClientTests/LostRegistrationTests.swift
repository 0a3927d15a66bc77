import Foundation
import Synchronization
import TestSupport
import Testing

@testable import UPMCClient

/// A new token, a user or a proof of possession that gets no answer: the server may have carried the call out, or not.
@Suite struct LostRegistrationTests {
  private let directory = TemporaryDirectory.make(prefix: "upmc-token.")
  private let keys = MemoryKeyStore()
  private static let lost: Result<WireAnswer, NoAnswer> = .failure(NoAnswer("lost"))
  private static let refused = FakeTransport.json(422, #"{"type":"upmc:invalid-field","status":422}"#)
  /// The answer to a key that has ended.
  private static let ended = FakeTransport.json(401, #"{"type":"upmc:bad-credential","status":401}"#)
  private static let userSet = FakeTransport.json(
    200, #"{"device":"d-1","authKey":"second","user":{"clientUid":"kim","clientName":"Kim"},"identity":"proof"}"#)
  private static let proved = FakeTransport.json(200, #"{"authKey":"second","identity":"strict","awaitsPush":false}"#)

  private func client(
    key: String = "client", _ transport: FakeTransport,
    onStep: @escaping @Sendable (DurableFile.Step) -> Void = { _ in }
  ) throws -> PushClient {
    PushClient(
      ClientSettings(
        server: try ServerAddress("https://push.example.com"), appID: "app", clientKey: key, directory: directory),
      transport: transport, keys: keys, now: { Date() }, onStep: onStep)
  }

  /// The answer to registrations; nil if the server carries them out.
  private final class Registrations: Sendable {
    private let current = Mutex<Result<WireAnswer, NoAnswer>?>(nil)

    var answer: Result<WireAnswer, NoAnswer>? {
      get { current.withLock { $0 } }
      set { current.withLock { $0 = newValue } }
    }
  }

  /// A client that is registered with the token "aa"; the test decides how later registrations are answered.
  private func registeredClient() async throws -> (PushClient, FakeTransport, Registrations) {
    let registrations = Registrations()
    let transport = FakeTransport { Self.answer($0, registrations: registrations.answer) }
    let client = try client(transport)
    try await client.register(token: "aa")
    return (client, transport, registrations)
  }

  /// Answers as the server does that sends to the token "bb", unless `registrations` says what a registration gets.
  private static func answer(
    _ request: WireRequest, registrations: Result<WireAnswer, NoAnswer>?
  ) -> Result<WireAnswer, NoAnswer> {
    if request.path == "/v1/devices" { return registrations ?? ConfirmationTroubleTests.answer(request) }
    return FakeTransport.verdicts(request) { $0.psid == "bb" ? "recorded" : "invalid-pushkey" }
  }

  /// The tokens that were registered, in their order.
  private func registered(_ transport: FakeTransport) -> [String] {
    transport.requests.filter { $0.path == "/v1/devices" }.compactMap { request in
      request.text.firstMatch(of: #/"psid":"([^"]*)"/#).map { String($0.1) }
    }
  }

  @Test func `a push to a token whose registration got no answer is confirmed`() async throws {
    let (client, transport, registrations) = try await registeredClient()
    registrations.answer = Self.lost
    await #expect(throws: ClientError.noAnswer("lost")) { try await client.register(token: "bb") }
    // By the app, and by an extension, which is a process of its own.
    #expect(await client.receive(try ConfirmationTroubleTests.payload("1")) == .recorded(badge: nil))
    let service = try self.client(key: "", transport)
    let push = try ConfirmationTroubleTests.payload("2")
    #expect(await service.receive(push, isExtension: true) == .recorded(badge: nil))
    #expect(await service.known?.token == "aa")
  }

  @Test func `a token whose registration got no answer is registered by the next flush, and once`() async throws {
    let (client, transport, registrations) = try await registeredClient()
    registrations.answer = Self.lost
    await #expect(throws: ClientError.noAnswer("lost")) { try await client.register(token: "bb") }
    registrations.answer = nil
    // An extension leaves it to the app.
    let service = try self.client(key: "", transport)
    await service.flush()
    #expect(registered(transport) == ["aa", "bb", "bb"])
    await client.flush()
    await client.flush()
    #expect(registered(transport) == ["aa", "bb", "bb", "bb"])
    #expect(await client.known?.token == "bb")
  }

  @Test func `a token that the server refuses is not registered again by itself`() async throws {
    let (client, transport, registrations) = try await registeredClient()
    registrations.answer = Self.refused
    await #expect(throws: ClientError.self) { try await client.register(token: "bb") }
    await client.flush()
    #expect(registered(transport) == ["aa", "bb"])
  }

  @Test func `a change of the user whose lost answer named another key is made all the same`() async throws {
    let isLost = Mutex(true)
    let transport = FakeTransport { request in
      switch (request.path, request.bearer ?? "") {
      case ("/v1/devices/d-1/user", _):
        let isFirst = isLost.withLock { lost in
          defer { lost = false }
          return lost
        }
        return isFirst ? Self.lost : Self.ended
      case ("/v1/devices", "key") where !isLost.withLock({ $0 }): return Self.ended
      case ("/v1/devices", _) where !isLost.withLock({ $0 }): return Self.userSet
      default: return Self.answer(request, registrations: nil)
      }
    }
    let client = try client(transport)
    try await client.register(token: "aa")
    let known = try await client.register(user: ClientUser("kim", name: "Kim", proof: "vouched"))
    #expect(known.clientUID == "kim" && known.identity == "proof" && known.token == "aa")
    #expect(transport.requests.map(\.bearer) == ["client", "key", "key", "key", "client"])
    #expect(transport.requests.last?.text.contains(#""userProof":"vouched""#) == true)
  }

  /// A server whose answer to setting the user is lost, and which has thereby ended the key. It then accepts a token
  /// without the user only if the token is new. `isVouched` says whether it still accepts the proof.
  private static func losingAnswer(isVouched: Bool) -> FakeTransport {
    let isSet = Mutex(false)
    return FakeTransport { request in
      if request.path == "/v1/devices/d-1/user" {
        isSet.withLock { $0 = true }
        return Self.lost
      }
      guard isSet.withLock({ $0 }) else { return Self.answer(request, registrations: nil) }
      if request.bearer == "key" { return Self.ended }
      if request.bearer == "second" { return Self.userSet }
      if request.text.contains(#""userProof":"vouched""#) {
        return isVouched
          ? Self.userSet : FakeTransport.json(403, #"{"type":"upmc:bad-user-proof","status":403}"#)
      }
      return request.text.contains(#""psid":"aa""#)
        ? FakeTransport.json(403, #"{"type":"upmc:user-mismatch","status":403}"#)
        : FakeTransport.json(201, #"{"device":"d-2","authKey":"third"}"#)
    }
  }

  /// A client at its start, after its former process had set the user and ended without an answer.
  private func restartedClient(_ transport: FakeTransport) async throws -> PushClient {
    let first = try client(transport)
    try await first.register(token: "aa")
    await #expect(throws: ClientError.noAnswer("lost")) {
      try await first.register(user: ClientUser("kim", name: "Kim", proof: "vouched"))
    }
    return try client(transport)
  }

  @Test(arguments: ["aa", "bb"])
  func `a user whose setting got no answer before the process ended is the device's at the next start`(token: String)
    async throws
  {
    let transport = Self.losingAnswer(isVouched: true)
    let next = try await restartedClient(transport)
    #expect(try await next.register(token: token).clientUID == "kim")
    #expect(transport.requests.map(\.bearer) == ["client", "key", "key", "key", "client"])
    // Once: the proof is kept no longer than it is needed.
    try await next.register(token: token)
    #expect(transport.requests.last?.bearer == "second")
    #expect(transport.requests.last?.text.contains("vouched") == false)
    #expect(try ClientState(keys: keys).registration()?.unansweredUser == nil)
  }

  @Test func `a user for whom nobody vouches any more keeps no new token from being registered`() async throws {
    let transport = Self.losingAnswer(isVouched: false)
    let next = try await restartedClient(transport)
    #expect(try await next.register(token: "bb").device == "d-2")
    let stored = try ClientState(keys: keys).registration()
    #expect(stored?.askedFor == "kim" && stored?.unansweredUser == nil && stored?.psid == "bb")
  }

  /// Answers everything but a proof of possession, like a server that wants one.
  private static func answerWithoutProof(_ request: WireRequest) -> Result<WireAnswer, NoAnswer> {
    request.path == "/v1/devices"
      ? FakeTransport.json(201, #"{"device":"d-1","authKey":"key","awaitsPush":true}"#)
      : FakeTransport.verdicts(request)
  }

  /// The push that a device returns.
  private static func silent() throws -> ReceivedPayload {
    try ReceivedPayload(json: Array(#"{"aps":{},"mps":{"seqno":"1","pushkey":"aa"}}"#.utf8))
  }

  @Test func `a user whom the key of another user's device may not name is registered all the same`() async throws {
    // A strict server: the key of kim's device shows no more than its token until the push has come back.
    let transport = FakeTransport { request in
      guard request.path == "/v1/devices" else {
        return FakeTransport.json(403, #"{"type":"upmc:forbidden","status":403}"#)
      }
      guard request.bearer == "client" else { return Self.ended }
      return request.text.contains(#""clientUid":"lee""#)
        ? FakeTransport.json(201, #"{"device":"d-2","authKey":"second","awaitsPush":true}"#)
        : FakeTransport.json(200, #"{"device":"d-1","authKey":"key","awaitsPush":true}"#)
    }
    let client = try client(transport)
    try await client.register(token: "aa", user: ClientUser("kim", proof: "vouched"))
    let known = try await client.register(user: ClientUser("lee", proof: "vouched"))
    #expect(known.device == "d-2" && known.token == "aa" && known.awaitsPush)
    #expect(transport.requests.map(\.bearer) == ["client", "key", "key", "client"])
    // With such a key nobody signs out, and a registration would not change that.
    #expect(try await client.register(user: .guest).awaitsPush)
    #expect(transport.requests.map(\.bearer) == ["client", "key", "key", "client", "second"])
    #expect(try ClientState(keys: keys).registration()?.leaves == .user)
  }

  /// The ways of an app to leave.
  enum Leaving: CaseIterable {
    case user, guest, guestWithToken, service
  }

  @Test(arguments: Leaving.allCases)
  func `whoever leaves before the push has come back has left afterwards`(by way: Leaving) async throws {
    let isLost = Mutex(true)
    let transport = FakeTransport { request in
      switch request.path {
      case "/v1/devices/d-1/possession": return Self.proved
      case "/v1/devices/d-1", "/v1/devices/d-1/user":
        guard request.bearer == "second" else {
          return FakeTransport.json(403, #"{"type":"upmc:forbidden","status":403}"#)
        }
        return isLost.withLock { $0 } ? Self.lost : FakeTransport.json(204, "")
      case "/v1/devices" where request.text.contains("GUEST"):
        return FakeTransport.json(403, #"{"type":"upmc:user-mismatch","status":403}"#)
      default: return Self.answerWithoutProof(request)
      }
    }
    let client = try client(transport)
    let state = ClientState(keys: keys)
    #expect(try await client.register(token: "abcd").badge == nil, "the server does not tell it")
    switch way {
    case .user: try await client.unregisterUser()
    case .guest: try await client.register(user: .guest)
    case .guestWithToken: #expect(try await client.register(token: "abcd", user: .guest).awaitsPush)
    case .service:
      try await client.unregisterService()
      #expect(await client.known == nil)
      await #expect(throws: ClientError.notRegistered) { try await client.badge() }
    }
    let silent = try Self.silent()
    #expect(await client.receive(silent) == .notNeeded)
    #expect(try state.registration()?.awaitsPush == false)
    isLost.withLock { $0 = false }
    for _ in 1...2 { await client.flush() }
    // Once lost and repeated, then answered.
    let calls = transport.requests.filter { $0.path.hasPrefix("/v1/devices/d-1") && $0.bearer == "second" }
    let path = way == .service ? "/v1/devices/d-1" : "/v1/devices/d-1/user"
    #expect(calls.map(\.method) == ["DELETE", "DELETE", "DELETE"] && calls.allSatisfy { $0.path == path })
    let stored = try state.registration()
    #expect(stored?.leaves == nil && (stored == nil) == (way == .service))
  }

  @Test func `whoever registers a device after leaving it is not its former user`() async throws {
    let transport = FakeTransport { request in
      request.path == "/v1/devices/d-1"
        ? FakeTransport.json(403, #"{"type":"upmc:forbidden","status":403}"#) : Self.answerWithoutProof(request)
    }
    let client = try client(transport)
    try await client.register(token: "abcd")
    try await client.unregisterService()
    #expect(await client.status(mayShow: nil, token: "abcd").findings == [.notRegistered])
    #expect(try await client.register(token: "abcd").awaitsPush)
    #expect(try ClientState(keys: keys).registration()?.leaves == .user)
  }

  @Test func `whoever signs in after leaving stays signed in`() async throws {
    let transport = FakeTransport { request in
      request.path == "/v1/devices/d-1/user"
        ? FakeTransport.json(403, #"{"type":"upmc:forbidden","status":403}"#) : Self.answerWithoutProof(request)
    }
    let client = try client(transport)
    try await client.register(token: "abcd")
    try await client.unregisterUser()
    try await client.register(user: ClientUser("kim", proof: "vouched"))
    let stored = try ClientState(keys: keys).registration()
    #expect(stored?.leaves == nil && stored?.askedFor == "kim")
  }

  @Test func `a push that is stored while an earlier one is refused as a proof is brought back`() async throws {
    let (asked, isAsked) = AsyncStream<Void>.makeStream()
    let (stored, isStored) = AsyncStream<Void>.makeStream()
    let transport = FakeTransport { request in
      guard request.path == "/v1/devices/d-1/possession" else { return Self.answerWithoutProof(request) }
      if request.text.contains(#""seqno":"2""#) { return Self.proved }
      isAsked.finish()
      for await _ in stored {}
      return FakeTransport.json(422, #"{"type":"upmc:impossible","status":422}"#)
    }
    let client = try client(transport, onStep: { if $0 == .renamed { isStored.finish() } })
    try await client.register(token: "abcd", user: ClientUser("kim"))
    let silent = try Self.silent()
    async let first = client.receive(silent)
    for await _ in asked {}
    // The second one's receipt is stored after the proof.
    #expect(await client.receive(try ConfirmationTroubleTests.payload("2")) == .recorded(badge: nil))
    #expect(await first == .notNeeded)
    #expect(await client.known?.awaitsPush == false)
  }

  @Test func `a push whose proof got no answer is brought back once more before a later one`() async throws {
    let isLost = Mutex(true)
    let transport = FakeTransport { request in
      guard request.path == "/v1/devices/d-1/possession" else { return Self.answerWithoutProof(request) }
      if isLost.withLock({ $0 }) { return Self.lost }
      // The first one has ended the key, which is good for nothing but that very call.
      return request.text.contains(#""seqno":"1""#) ? Self.proved : Self.ended
    }
    let client = try client(transport)
    try await client.register(token: "abcd", user: ClientUser("kim"))
    let silent = try Self.silent()
    #expect(await client.receive(silent) == .notNeeded)
    #expect(await client.receive(try ConfirmationTroubleTests.payload("2")) == .recorded(badge: nil))
    isLost.withLock { $0 = false }
    #expect(await client.receive(try ConfirmationTroubleTests.payload("3")) == .recorded(badge: nil))
    let known = await client.known
    #expect(known?.awaitsPush == false && known?.identity == "strict")
    #expect(try ClientState(keys: keys).possessions() == [])
  }

  @Test func `a push that a key which has ended does not bring back is brought back with the next key`() async throws {
    let hasEnded = Mutex(false)
    let transport = FakeTransport { request in
      let isOver = hasEnded.withLock { $0 }
      if isOver, request.bearer == "key" { return Self.ended }
      if request.path == "/v1/devices/d-1/possession" { return Self.proved }
      let key = isOver ? "third" : "key"
      return FakeTransport.json(200, #"{"device":"d-1","authKey":"\#(key)","awaitsPush":true}"#)
    }
    let client = try client(transport)
    try await client.register(token: "aa", user: ClientUser("kim"))
    // Somebody else has registered the guest's device, which ends its keys.
    hasEnded.withLock { $0 = true }
    let silent = try Self.silent()
    #expect(await client.receive(silent) == .notNeeded)
    #expect(try await client.register(token: "aa").awaitsPush)
    await client.flush()
    #expect(await client.known?.identity == "strict")
    #expect(transport.requests.last?.bearer == "third")
  }

  @Test func `a push whose proof got no answer is brought back before a new token is registered`() async throws {
    let isLost = Mutex(true)
    let transport = FakeTransport { request in
      guard request.path == "/v1/devices/d-1/possession" else {
        let key = request.bearer == "client" ? "key" : "third"
        let awaits = request.bearer == "client"
        return FakeTransport.json(200, #"{"device":"d-1","authKey":"\#(key)","awaitsPush":\#(awaits)}"#)
      }
      return isLost.withLock { $0 } ? Self.lost : Self.proved
    }
    let client = try client(transport)
    try await client.register(token: "aa", user: ClientUser("kim"))
    let silent = try Self.silent()
    #expect(await client.receive(silent) == .notNeeded)
    isLost.withLock { $0 = false }
    #expect(try await client.register(token: "bb").token == "bb")
    // Lost and repeated, then answered, and only then the token.
    #expect(transport.requests.map(\.bearer) == ["client", "key", "key", "key", "second"])
    #expect(registered(transport) == ["aa", "bb"])
  }

  @Test func `of tokens without an answer the latest counts, and a push to any is confirmed`() throws {
    var known = StoredRegistration(
      server: try ServerAddress("https://push.example.com"), appID: "app", device: "d-1", authKey: "key", psid: "aa",
      awaitsPush: false)
    known.expect(token: "aa")
    #expect(known.tokens == ["aa"] && known.expectedPsid == nil)
    known.expect(token: "bb")
    known.expect(token: "bb")
    #expect(known.tokens == ["aa", "bb"])
    known.expect(token: "cc")
    #expect(known.tokens == ["aa", "cc", "bb"])
    // The system returns to the first token.
    known.expect(token: "aa")
    #expect(known.tokens == ["aa", "cc", "bb"] && known.expectedPsid == "aa")
    known.adopt(token: "bb")
    #expect(known.tokens == ["bb", "aa", "cc"] && known.expectedPsid == nil)
    for token in ["dd", "ee"] { known.adopt(token: token) }
    #expect(known.tokens == ["ee", "dd", "bb", "aa"])
  }
}

extension WireRequest {
  fileprivate var text: String { String(decoding: body ?? [], as: UTF8.self) }
}
