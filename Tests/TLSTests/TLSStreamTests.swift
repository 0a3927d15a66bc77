import Reactor
import TLS
import Testing

@Suite struct TLSStreamTests {
  let authority: CertificateAuthority
  let clientContext: TLSContext
  let serverContext: TLSContext

  init() throws {
    authority = try CertificateAuthority()
    clientContext = try .client(trust: .init(systemAuthorities: false, pems: [authority.certificatePEM]))
    serverContext = try .server(identity: authority.issueServer())
  }

  private func trusting(_ authority: CertificateAuthority) throws -> TLSContext {
    try .client(trust: .init(systemAuthorities: false, pems: [authority.certificatePEM]))
  }

  @Test func `a handshake agrees on h2 and on who the server is`() throws {
    let both = try Connected(client: clientContext, server: serverContext)
    #expect(both.client.negotiatedProtocol == "h2" && both.server.negotiatedProtocol == "h2")
    #expect(both.client.peerCertificate?.commonName == "localhost")
    #expect(both.server.requestedServerName == "localhost")
    #expect(both.server.peerCertificate == nil)
    #expect(both.client.version == "TLSv1.3")
  }

  @Test(arguments: ["127.0.0.1", "::1"]) func `an address literal is matched and not sent as a name`(_ name: String)
    throws
  {
    let both = try Connected(client: clientContext, server: serverContext, name: name)
    #expect(both.server.requestedServerName == nil)
  }

  @Test func `a wrong host name fails and says so`() throws {
    let reason = try Connected.failure(client: clientContext, server: serverContext, name: "api.push.apple.com")
    #expect(reason?.contains("ostname mismatch") == true, "\(reason ?? "")")
  }

  @Test func `a server of another authority is not believed`() throws {
    let other = try trusting(CertificateAuthority())
    let reason = try Connected.failure(client: other, server: serverContext)
    #expect(reason?.contains("unable to get local issuer certificate") == true, "\(reason ?? "")")
  }

  @Test func `an expired certificate is not believed`() throws {
    let expired = try TLSContext.server(identity: authority.issueServer(notBefore: 1_000_000, notAfter: 2_000_000))
    let reason = try Connected.failure(client: clientContext, server: expired)
    #expect(reason?.contains("certificate has expired") == true, "\(reason ?? "")")
  }

  @Test func `a client without ALPN is served, one with foreign protocols is refused`() throws {
    let trust = TLSContext.Trust(systemAuthorities: false, pems: [authority.certificatePEM])
    let silent = try Connected(client: .client(trust: trust, protocols: []), server: serverContext)
    #expect(silent.server.negotiatedProtocol == nil)
    let foreign = try TLSContext.client(trust: trust, protocols: ["spdy/3"])
    #expect(try Connected.failure(client: foreign, server: serverContext) != nil)
    let both = try TLSContext.client(trust: trust, protocols: ["http/1.1", "h2"])
    #expect(try Connected(client: both, server: serverContext).client.negotiatedProtocol == "h2")
  }

  @Test func `bytes arrive as they were written, also when they do not fit at once`() throws {
    let both = try Connected(client: clientContext, server: serverContext)
    let block = (0..<251_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
    let count = 80 * block.count  // 20 MB: more than the kernel holds for both sides
    var output = ByteBuffer(capacity: count)
    for _ in 0..<80 { output.append(block) }
    var input = ByteBuffer(capacity: count)
    var wouldBlock = 0
    while input.count < count {
      switch both.client.write(&output) {
      case .complete: break
      case .wouldBlock: wouldBlock += 1
      case .failed(let error): throw error
      }
      if case .failed(let error) = both.server.read(into: &input, limit: 100_000) { throw error }
    }
    #expect(wouldBlock > 0)
    for _ in 0..<80 {
      let isRight = input.withUnsafeReadable { Array($0.prefix(block.count)) == block }
      #expect(isRight)
      input.consume(block.count)
    }
  }

  @Test func `a read stops at its limit and says that more may wait`() throws {
    let both = try Connected(client: clientContext, server: serverContext)
    var output = ByteBuffer()
    output.append([UInt8](repeating: 1, count: 200_000))
    _ = both.client.write(&output)
    var input = ByteBuffer()
    var sawMore = false
    while input.count < 100_000 {
      if case .moreWaiting = both.server.read(into: &input, limit: 20_000) { sawMore = true }
    }
    #expect(sawMore)
  }

  @Test func `a farewell is an end, a lost connection is a failure`() throws {
    let polite = try Connected(client: clientContext, server: serverContext)
    polite.server.sendCloseNotify()
    var input = ByteBuffer()
    var ended = false
    while !ended {
      switch polite.client.read(into: &input) {
      case .endOfStream: ended = true
      case .wouldBlock, .moreWaiting: continue
      case .failed(let error): throw error
      }
    }

    var both: Connected? = try Connected(client: clientContext, server: serverContext)
    let client = try #require(both?.client)
    both = nil
    var reason: String?
    while reason == nil {
      if case .failed(let error) = client.read(into: &input) { reason = error.reason }
    }
    #expect(reason?.contains("unexpected eof") == true, "\(reason ?? "")")
  }

  @Test func `writing to a peer that is gone fails without a signal`() throws {
    var both: Connected? = try Connected(client: clientContext, server: serverContext)
    let client = try #require(both?.client)
    both?.server.resetOnClose()
    both = nil
    var error: TLSError?
    while error == nil {
      var output = ByteBuffer()
      output.append([UInt8](repeating: 1, count: 100_000))
      if case .failed(let reason) = client.write(&output) { error = reason }
    }
    #expect(error?.operation == "write")
  }

  @Test func `a client shows its push certificate when the server asks`() throws {
    let identity = try authority.issuePushClient(
      bundleID: "com.example.app",
      topics: [("com.example.app", "app"), ("com.example.app.voip", "voip")])
    let trust = TLSContext.Trust(systemAuthorities: false, pems: [authority.certificatePEM])
    let client = try TLSContext.client(trust: trust, identity: identity)
    let server = try TLSContext.server(identity: authority.issueServer(), clientCertificates: .requested(trust))
    let both = try Connected(client: client, server: server)
    let shown = try #require(both.server.peerCertificate)
    #expect(shown.userID == "com.example.app")
    #expect(shown.topics == ["com.example.app", "com.example.app.voip"])
    #expect(shown.allowsProduction && shown.allowsDevelopment)
    #expect(shown.subject.contains("Apple Push Services: com.example.app"))
    #expect(try Connected(client: clientContext, server: server).server.peerCertificate == nil)
  }

  @Test func `a client certificate of a stranger is refused, or taken where any is`() throws {
    let stranger = try CertificateAuthority().issuePushClient(bundleID: "com.evil", topics: [])
    let trust = TLSContext.Trust(systemAuthorities: false, pems: [authority.certificatePEM])
    let client = try TLSContext.client(trust: trust, identity: stranger)
    let strict = try TLSContext.server(identity: authority.issueServer(), clientCertificates: .requested(trust))
    #expect(try Connected.failure(client: client, server: strict) != nil)
    let lenient = try TLSContext.server(identity: authority.issueServer(), clientCertificates: .requestedAny)
    #expect(try Connected(client: client, server: lenient).server.peerCertificate?.userID == "com.evil")
  }
}
