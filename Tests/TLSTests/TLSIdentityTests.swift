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

  @Test func `one PEM text with certificate and key is opened, and written the same way`() throws {
    let identity = try authority.issuePushClient(bundleID: "com.example.app", topics: [("com.example.app", "app")])
    let opened = try TLSIdentity(pem: identity.pem)
    #expect(opened.certificate == identity.certificate && opened.pem == identity.pem)
    let reversed = try TLSIdentity(pem: identity.privateKeyPEM + identity.certificateChainPEM)
    #expect(reversed.pem == identity.pem)
    #expect(throws: TLSError.self) { try TLSIdentity(pem: identity.certificateChainPEM) }
  }

  /// A key of no use, encrypted with "secret" by `openssl pkcs8 -topk8`.
  @Test func `an encrypted key needs its passphrase`() throws {
    let identity = try TLSIdentity(pem: Self.encrypted, passphrase: "secret")
    #expect(identity.privateKeyPEM.contains("BEGIN PRIVATE KEY"))
    #expect(throws: TLSError.self) { try TLSIdentity(pem: Self.encrypted, passphrase: "wrong") }
    #expect(throws: TLSError.self) { try TLSIdentity(pem: Self.encrypted) }
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

  private static let encrypted = """
    -----BEGIN CERTIFICATE-----
    MIIBdTCCARugAwIBAgIUWlQS62teIBd5QK2KrWpWM9ixhqIwCgYIKoZIzj0EAwIw
    DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjEwNzAzMzdaGA8yMTI2MTAyODA3MDMz
    N1owDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLBH
    GDSa06ZWlbnqJ1mxpI79Ggj8ndhoFpcv5eaQUQhjinDDoO+CTwkrUzwpStdaoXtg
    qn3Hiz3vedgYgrmqDk2jUzBRMB0GA1UdDgQWBBRzj4YpSU4lwxtS8pLYBlsbmNL2
    JDAfBgNVHSMEGDAWgBRzj4YpSU4lwxtS8pLYBlsbmNL2JDAPBgNVHRMBAf8EBTAD
    AQH/MAoGCCqGSM49BAMCA0gAMEUCIGeyMNGJCiPvZ1jc/bcSwSet2Jyvpm7Ubcv3
    3kdorlGFAiEAxDDcM8D1/f3fbM5uAJUII6DhMI7KVvY6oOWwrgVObGE=
    -----END CERTIFICATE-----
    -----BEGIN ENCRYPTED PRIVATE KEY-----
    MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjWWKft4ULpEgICCAAw
    DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEEzJjiIOz38Fwv6Y+1Qbg9kEgZAl
    Zg6zr3zaoTxqKn5pDipRV0d7tP9bVUXnnYQzUTs0ghBtvBiPCQYwSon0WaLkDoRX
    YHD4YuIYvqi6dWl4fn8H1SYrV/MQfq8/pSgDJbPpZs0UqmOGyprxDRZ8DGwO6YVf
    HlCUepUKeUiwqqJoiMCuIU+5PNZSStEENHAfm2eC8o5L/bUoDEyDnar34KV00rs=
    -----END ENCRYPTED PRIVATE KEY-----
    """
}
