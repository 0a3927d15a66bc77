import TLS
import Testing

@Suite struct TLSIdentityTests {
  let authority: CertificateAuthority

  init() throws {
    authority = try CertificateAuthority()
  }

  @Test(arguments: [false, true]) func `a p12 archive is opened, also with the ciphers of old tools`(_ legacy: Bool)
    throws
  {
    let identity = try authority.issuePushClient(bundleID: "com.example.app", topics: [("com.example.app", "app")])
    let archive = try identity.pkcs12(passphrase: "secret", legacyCiphers: legacy)
    let opened = try TLSIdentity(pkcs12: archive, passphrase: "secret")
    #expect(opened.certificateChainPEM == identity.certificateChainPEM)
    #expect(opened.certificate == identity.certificate)
    #expect(throws: TLSError.self) { try TLSIdentity(pkcs12: archive, passphrase: "wrong") }
  }

  @Test func `bytes that are no archive are an error`() {
    #expect(throws: TLSError.self) { try TLSIdentity(pkcs12: Array("hello".utf8), passphrase: "") }
    #expect(throws: TLSError.self) { try TLSIdentity(pkcs12: [], passphrase: "") }
  }

  @Test func `a certificate and a key of different pairs are refused`() throws {
    let first = try authority.issueServer()
    let second = try authority.issueServer()
    #expect(throws: TLSError.self) {
      try TLSIdentity(certificateChainPEM: first.certificateChainPEM, privateKeyPEM: second.privateKeyPEM)
    }
  }

  @Test func `text that is no PEM says what is missing`() throws {
    let identity = try authority.issueServer()
    #expect(throws: TLSError(operation: "read certificate", reason: "no start line")) {
      try TLSIdentity(certificateChainPEM: "nonsense", privateKeyPEM: identity.privateKeyPEM)
    }
    #expect(throws: TLSError.self) {
      try TLSIdentity(certificateChainPEM: identity.certificateChainPEM, privateKeyPEM: "nonsense")
    }
    #expect(throws: TLSError.self) {
      try TLSIdentity(certificateFile: "/nonexistent.pem", privateKeyFile: "/nonexistent.pem")
    }
  }

  @Test func `an authority can be restored and signs on`() throws {
    let again = try CertificateAuthority(restoring: authority.identity)
    let client = try TLSContext.client(trust: .init(systemAuthorities: false, pems: [authority.certificatePEM]))
    let server = try TLSContext.server(identity: again.issueServer(names: ["push.example.com"]))
    #expect(try Connected.failure(client: client, server: server, name: "push.example.com") == nil)
  }

  @Test func `dates are read as seconds`() throws {
    let identity = try authority.issueServer(notBefore: 1_700_000_000, notAfter: 1_800_000_000)
    #expect(identity.certificate.notBefore == 1_700_000_000)
    #expect(identity.certificate.notAfter == 1_800_000_000)
    #expect(identity.certificate.topics.isEmpty && identity.certificate.userID == nil)
  }
}
