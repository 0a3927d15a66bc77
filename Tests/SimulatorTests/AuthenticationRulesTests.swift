import Testing

@testable import Simulator

@Suite struct `Authentication rules` {
  @Test(arguments: [nil, "", "bearer", "bearer ", "Basic abc", "Bearer abc.def.ghi"])
  func `without a bearer token the provider token is missing`(authorization: String?) throws {
    var service = try TestService()
    #expect(service.reason(TestRequest(authorization: authorization)) == .missingProviderToken)
  }

  @Test func `raw and DER signatures are both taken`() throws {
    for isDER in [false, true] {
      var service = try TestService()
      let token = try service.provider.token(issuedAt: service.now, isDER: isDER)
      #expect(service.reason(TestRequest(authorization: "bearer " + token)) == nil)
    }
  }

  @Test func `a token that does not hold together is invalid`() throws {
    let service = try TestService()
    let provider = service.provider
    let now = service.now
    let stranger = TestProvider(teamID: "TEAM000009", keyID: provider.keyID)
    let bad = [
      "x", "a.b", "a.b.c", "a.b.c.d", "..",
      try provider.token(issuedAt: now, corrupted: true),
      try provider.token(issuedAt: now, isDER: true, corrupted: true),
      try provider.token(issuedAt: now, header: #"{"alg":"none","kid":"\#(provider.keyID)"}"#),
      try provider.token(issuedAt: now, header: #"{"alg":"HS256","kid":"\#(provider.keyID)"}"#),
      try provider.token(issuedAt: now, header: #"{"alg":"ES256"}"#),
      try provider.token(issuedAt: now, header: #"{"alg":"ES256","kid":"KEY0000009"}"#),
      try provider.token(issuedAt: now, header: "[]"),
      try provider.token(issuedAt: now, claims: #"{"iss":"TEAM000009","iat":\#(now)}"#),
      try provider.token(issuedAt: now, claims: #"{"iss":"\#(provider.teamID)","iat":"\#(now)"}"#),
      try provider.token(issuedAt: now, claims: #"{"iss":"\#(provider.teamID)","iat":\#(now).5}"#),
      try provider.token(issuedAt: now, claims: #"{"iss":"\#(provider.teamID)"}"#),
      try provider.token(issuedAt: now, claims: #"{"iat":\#(now)}"#),
      try stranger.token(issuedAt: now),
      try TestProvider().token(issuedAt: now),
      String(repeating: "a", count: 5000),
    ]
    for token in bad {
      var copy = service
      #expect(copy.reason(TestRequest(authorization: "bearer " + token)) == .invalidProviderToken, "\(token)")
    }
  }

  @Test func `a token lives for an hour, and may come from ten minutes ahead`() throws {
    let cases: [(Int64, Reason?)] = [
      (-3600, nil), (-3601, .expiredProviderToken), (600, nil), (601, .invalidProviderToken),
    ]
    for (offset, reason) in cases {
      var service = try TestService()
      let authorization = try service.authorization(issuedAt: service.now + offset)
      #expect(service.reason(TestRequest(authorization: authorization)) == reason, "\(offset)")
    }
  }

  @Test func `a token that passed once still expires`() throws {
    var service = try TestService()
    let request = try service.good()
    #expect(service.reason(request) == nil)
    service.now += 3600
    #expect(service.reason(request) == nil)
    service.now += 1
    #expect(service.reason(request) == .expiredProviderToken)
  }

  @Test func `a connection stays with its team and its key`() throws {
    var service = try TestService()
    let sameTeam = TestProvider(teamID: service.provider.teamID, keyID: "KEY0000002")
    let otherTeam = TestProvider(teamID: "TEAM000002", keyID: "KEY0000003")
    service.knowledge.keys.register(try sameTeam.key())
    service.knowledge.keys.register(try otherTeam.key())
    #expect(service.reason(try service.good()) == nil)
    let now = service.now
    #expect(
      service.reason(TestRequest(authorization: "bearer " + (try otherTeam.token(issuedAt: now))))
        == .invalidProviderToken)
    #expect(
      service.reason(TestRequest(authorization: "bearer " + (try sameTeam.token(issuedAt: now))))
        == .unrelatedKeyIDInToken)
  }

  @Test func `a related key may share the connection`() throws {
    var service = try TestService()
    let related = TestProvider(teamID: service.provider.teamID, keyID: "KEY0000002")
    service.knowledge.keys.register(try related.key(related: service.provider.keyID))
    #expect(service.reason(try service.good()) == nil)
    let later = service.now + 1200
    let token = try related.token(issuedAt: later)
    service.now = later
    #expect(service.reason(TestRequest(authorization: "bearer " + token)) == nil)
  }

  @Test func `a key of the other environment is told so`() throws {
    var service = try TestService()
    service.knowledge.keys.register(try service.provider.key(environments: [.sandbox]))
    #expect(service.reason(try service.good()) == .badEnvironmentKeyIDInToken)
    service.environment = .sandbox
    #expect(service.reason(try service.good()) == nil)
  }

  @Test func `a revoked key is forbidden, also on a connection that used it before`() throws {
    var service = try TestService()
    let request = try service.good()
    #expect(service.reason(request) == nil)
    service.knowledge.keys.register(try service.provider.key(isRevoked: true))
    #expect(service.reason(request) == .forbidden)
  }

  @Test func `a new token within twenty minutes is too soon, and the old one goes on`() throws {
    var service = try TestService()
    let first = try service.good()
    #expect(service.reason(first) == nil)
    let soon = TestRequest(authorization: try service.authorization(issuedAt: service.now + 1199))
    let later = TestRequest(authorization: try service.authorization(issuedAt: service.now + 1200))
    service.now += 1200
    #expect(service.reason(soon) == .tooManyProviderTokenUpdates)
    #expect(service.reason(first) == nil)
    #expect(service.reason(later) == nil)
    // Going back is an update too.
    #expect(service.reason(first) == .tooManyProviderTokenUpdates)
  }

  @Test func `counted per team, a fresh token on another connection is too soon as well`() throws {
    for perTeam in [false, true] {
      var service = try TestService()
      service.knowledge.rules.countsUpdatesPerTeam = perTeam
      let first = try service.good()
      #expect(service.reason(first) == nil)
      service.identity = .init()
      let second = TestRequest(authorization: try service.authorization(issuedAt: service.now + 1))
      #expect(service.reason(second) == (perTeam ? .tooManyProviderTokenUpdates : nil))
      service.identity = .init()
      #expect(service.reason(first) == nil)
    }
  }
}
