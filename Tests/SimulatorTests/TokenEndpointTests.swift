import Testing

@testable import Simulator

/// Google's token endpoint: a real signature, and every claim.
@Suite struct TokenEndpointTests {
  private static let now: Int64 = 1_800_000_000
  private static let file = try! ServiceAccountFile(projectID: "demo")
  private static let stranger = try! ServiceAccountFile(projectID: "demo")

  private var endpoint = TokenEndpoint()
  private var dice = SplitMix64(seed: 1)

  init() throws {
    endpoint.register(try Self.file.account())
  }

  private mutating func exchange(_ assertion: String, grant: String = TokenEndpoint.grantType) -> String {
    let form = "grant_type=\(grant.split(separator: ":").joined(separator: "%3A"))&assertion=\(assertion)"
    switch endpoint.exchange(Array(form.utf8), address: "http://here/token", now: Self.now, dice: &dice) {
    case .success: return "granted"
    case .failure(let refusal): return refusal.error + ": " + refusal.description
    }
  }

  private func assertion(at seconds: Int64, by file: ServiceAccountFile = Self.file) throws -> String {
    try SimulatorTests.assertion(of: file.json(tokenURI: "https://oauth2.googleapis.com/token"), at: seconds)
  }

  @Test mutating func `a signed assertion gets an access token`() throws {
    #expect(exchange(try assertion(at: Self.now)) == "granted")
    #expect(exchange(try assertion(at: Self.now + 200)) == "granted")
    #expect(exchange(try assertion(at: Self.now - 3_000)) == "granted")
    #expect(endpoint.granted == 3)
  }

  @Test mutating func `another key, a changed claim and a foreign account are refused`() throws {
    #expect(exchange(try assertion(at: Self.now, by: Self.stranger)).hasPrefix("invalid_grant: Invalid JWT Signature"))
    var parts = try assertion(at: Self.now).split(separator: ".").map { String($0) }
    parts[1] = parts[1].replacing("e", with: "f", maxReplacements: 1)
    #expect(exchange(parts.joined(separator: ".")).hasPrefix("invalid_grant"))
    let foreign = try ServiceAccountFile(projectID: "other")
    #expect(exchange(try assertion(at: Self.now, by: foreign)) == "invalid_grant: Invalid grant: account not found")
  }

  @Test(arguments: [-4_000, 400]) mutating func `times outside of the window are refused`(_ offset: Int64) throws {
    #expect(exchange(try assertion(at: Self.now + offset)).contains("Check your iat and exp values"))
  }

  @Test mutating func `what is no assertion is refused`() throws {
    #expect(exchange("x.y").hasPrefix("invalid_grant: Invalid JWT"))
    #expect(exchange(try assertion(at: Self.now), grant: "password").hasPrefix("unsupported_grant_type"))
  }
}
