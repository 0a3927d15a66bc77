import Domain
import TLS
import Testing

@testable import APNs

@Suite struct CertificateTests {
  private static let other = PushRoute(app: 8, network: .apns, environment: .production)

  private func identity(_ authority: CertificateAuthority, notAfter: Int64? = nil) throws -> TLSIdentity {
    // The harness's clock stands at the first of January 2026.
    try authority.issuePushClient(
      bundleID: "com.example.app", topics: [("com.example.app", "app"), ("com.example.app.voip", "voip")],
      notBefore: 1_700_000_000, notAfter: notAfter ?? 2_000_000_000)
  }

  @Test func `a certificate's connection is used fully from its settings on`() throws {
    var settings = TestServer.Settings()
    settings.asksForCertificate = true
    let authority = try CertificateAuthority()
    let server = try TestServer(settings: settings, authority: authority) { $0.index < 100 ? .hold : .accept }
    defer { server.stop() }
    let harness = try Harness(server, credential: .certificate(identity(authority)), token: false)
    let batch = harness.offer(harness.makeMessage(), 0..<100)
    #expect(harness.waits { server.requests.count == 100 }, "no probing")
    server.release()
    #expect(harness.wait(for: batch).tally == ["accepted": 100])
    #expect(server.requests.allSatisfy { $0.fields["authorization"] == nil && $0.clientCertificate != nil })
  }

  @Test(arguments: [
    ("handshake: sslv3 alert bad certificate", true), ("handshake: tlsv1 alert unknown ca", true),
    ("through the proxy p:1: handshake: ssl/tls alert certificate expired", true),
    ("read: tlsv13 alert certificate required", true), ("read: sslv3 alert certificate revoked", true),
    ("handshake: tlsv1 alert internal error", false), ("handshake: sslv3 alert handshake failure", false),
    ("handshake: tlsv1 alert protocol version", false), ("handshake: tlsv1 unrecognized name", false),
    ("the peer closed the connection", false),
  ])
  func `only alerts about certificates are the credential's fault`(reason: String, isAbout: Bool) {
    #expect(APNsAdapter.isAboutCertificate(reason) == isAbout)
  }

  @Test func `an app with a certificate and one with a key never share a connection`() throws {
    var settings = TestServer.Settings()
    settings.asksForCertificate = true
    let authority = try CertificateAuthority()
    let server = try TestServer(settings: settings, authority: authority)
    defer { server.stop() }
    let harness = try Harness(server)
    harness.sender.set(.certificate(try identity(authority)), for: 8)
    let withKey = harness.offer(harness.makeMessage(seqno: 1), 0..<50)
    let withCertificate = harness.offer(harness.makeMessage(seqno: 2), 0..<50, route: Self.other)
    #expect(harness.wait(for: withKey).tally == ["accepted": 50])
    #expect(harness.wait(for: withCertificate).tally == ["accepted": 50])
    #expect(server.connections == 2)
    #expect(server.requests.allSatisfy { ($0.clientCertificate == nil) == ($0.fields["authorization"] != nil) })
  }

  @Test func `a topic that the certificate does not have is not sent`() throws {
    let authority = try CertificateAuthority()
    let server = try TestServer(authority: authority)
    defer { server.stop() }
    let harness = try Harness(server, credential: .certificate(identity(authority)), token: false)
    let results = harness.send(0..<3, message: harness.makeMessage(appID: "com.example.else"))
    let reason =
      "TopicDisallowed: the push certificate is for com.example.app, com.example.app.voip, not for com.example.else"
    #expect(results == Array(repeating: .credentialFault(reason: reason), count: 3))
    #expect(server.requests.isEmpty)
  }

  @Test func `a certificate that ended is not tried`() throws {
    let authority = try CertificateAuthority()
    let server = try TestServer(authority: authority)
    defer { server.stop() }
    let harness = try Harness(
      server, credential: .certificate(identity(authority, notAfter: 1_767_225_600)), token: false)
    let results = harness.send(0..<3)
    #expect(
      results.allSatisfy {
        if case .credentialFault(let reason) = $0 { reason.hasPrefix("CertificateExpired") } else { false }
      })
    #expect(results.count == 3 && server.connections == 0)
  }

  @Test func `a certificate that the server refuses is a fault of that app alone`() throws {
    let trusted = try CertificateAuthority()
    var settings = TestServer.Settings()
    settings.clientAuthorityPEM = trusted.certificatePEM
    let server = try TestServer(settings: settings, authority: trusted)
    defer { server.stop() }
    let foreign = try identity(try CertificateAuthority())
    let harness = try Harness(server)
    harness.sender.set(.certificate(foreign), for: 8)
    let refused = harness.offer(harness.makeMessage(seqno: 2), 0..<20, route: Self.other)
    let results = harness.wait(for: refused)
    #expect(
      results.count == 20
        && results.allSatisfy {
          if case .credentialFault(let reason) = $0 { reason.hasPrefix("BadCertificate") } else { false }
        }, "\(results.tally)")
    #expect(harness.send(0..<50).tally == ["accepted": 50])
  }

  @Test func `a development certificate is not used for production, nor the reverse`() {
    func info(development: Bool, production: Bool) -> CertificateInfo {
      CertificateInfo(
        subject: "", commonName: nil, userID: "a.b", notBefore: 0, notAfter: 100, topics: [],
        allowsDevelopment: development, allowsProduction: production)
    }
    let development = info(development: true, production: false)
    #expect(development.objection(topic: "a.b", environment: .sandbox, now: 0) == nil)
    #expect(development.objection(topic: "a.b", environment: .production, now: 0)?.contains("development only") == true)
    let production = info(development: false, production: true)
    #expect(production.objection(topic: "a.b", environment: .production, now: 0) == nil)
    #expect(production.objection(topic: "a.b", environment: .sandbox, now: 0)?.contains("production only") == true)
    let both = info(development: true, production: true)
    #expect(both.objection(topic: "a.b", environment: .sandbox, now: 0) == nil)
    #expect(both.objection(topic: "a.b", environment: .sandbox, now: 100)?.hasPrefix("CertificateExpired") == true)
    #expect(both.objection(topic: "a.c", environment: .sandbox, now: 0)?.hasPrefix("TopicDisallowed") == true)
  }
}
