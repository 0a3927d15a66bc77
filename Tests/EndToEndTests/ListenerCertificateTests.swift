import Glibc
import Reactor
import TLS
import TestSupport
import TestTier
import Testing

/// `upmc serve` speaking HTTPS, with a certificate that its operator renews.
@Suite(.slow, .serialized) struct ListenerCertificateTests {
  let authority: CertificateAuthority
  let directory = TemporaryDirectory.make()
  let database: TestDatabase

  init() throws {
    authority = try CertificateAuthority()
    database = try TestDatabase.make()
  }

  private var certificateFile: String { directory + "/server.pem" }

  private func write(until end: Int64) throws {
    TemporaryDirectory.write(certificateFile, try authority.issueServer(notAfter: end).pem)
  }

  @Test func `a renewed certificate is shown after SIGHUP, a broken one is not, and no connection is lost`() throws {
    defer { TemporaryDirectory.remove(directory) }
    try write(until: 4_000_000_000)
    let metricsPort = try LastingPort.find()
    let server = try ServerProcess([
      "UPMC_DATABASE_URL": database.url, "UPMC_MASTER_KEY": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory, "UPMC_TLS_CERTIFICATE": certificateFile,
      "UPMC_METRICS_LISTEN": "127.0.0.1:\(metricsPort)",
    ])
    try server.start()
    let old = try first(server)
    #expect(old.ends == 4_000_000_000)
    #expect(try old.get("/health").hasPrefix("HTTP/1.1 200 "))
    #expect(try expiry(metricsPort) == "4000000000")

    try write(until: 4_000_000_100)
    server.signal(SIGHUP)
    try wait(server) { try SecureClient(port: server.port, authority: authority).ends == 4_000_000_100 }
    try wait(server) { try expiry(metricsPort) == "4000000100" }
    #expect(try old.get("/health").hasPrefix("HTTP/1.1 200 "))

    TemporaryDirectory.write(certificateFile, "nonsense")
    server.signal(SIGHUP)
    try wait(server) { server.output.contains("the old one stays") }
    #expect(server.output.contains(certificateFile))
    let new = try SecureClient(port: server.port, authority: authority)
    #expect(new.ends == 4_000_000_100)
    #expect(try expiry(metricsPort) == "4000000100")
    #expect(try new.get("/health").hasPrefix("HTTP/1.1 200 "))
    #expect(try old.get("/health").hasPrefix("HTTP/1.1 200 "))
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2_000))")
  }

  @Test func `a start with a certificate that cannot be used ends with one sentence that names the file`() throws {
    defer { TemporaryDirectory.remove(directory) }
    TemporaryDirectory.write(certificateFile, "nonsense")
    let server = try ServerProcess([
      "UPMC_DATABASE_URL": database.url, "UPMC_MASTER_KEY": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=",
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory, "UPMC_TLS_CERTIFICATE": certificateFile,
    ])
    try server.start()
    try wait(server) { !server.isRunning }
    #expect(server.output.contains("UPMC_TLS_CERTIFICATE (\(certificateFile))"))
  }

  /// What the metrics say about the certificate's end; nil if nothing.
  private func expiry(_ port: UInt16) throws -> Substring? {
    let text = try TestClient(port: port).call("GET", "/metrics").text
    return text.firstMatch(of: #/\nupmc_certificate_expiry_timestamp_seconds ([0-9]+)\n/#)?.1
  }

  private func first(_ server: ServerProcess) throws -> SecureClient {
    try poll("nobody answers: \(server.output.suffix(2_000))") {
      try? SecureClient(port: server.port, authority: authority)
    }
  }

  private func wait(_ server: ServerProcess, _ condition: () throws -> Bool) throws {
    _ = try poll("it did not happen: \(server.output.suffix(2_000))") { try condition() ? true : nil }
  }
}

/// One connection over TLS, and its server's certificate.
private final class SecureClient {
  private let stream: TLSStream

  init(port: UInt16, authority: CertificateAuthority) throws {
    let context = try TLSContext.client(
      trust: .init(systemAuthorities: false, pems: [authority.certificatePEM]), protocols: ["http/1.1"])
    let socket = try Socket.connect(to: SocketAddress.resolve(host: "127.0.0.1", port: port)[0])
    stream = try TLSStream(connecting: socket, context: context, serverName: "localhost")
    _ = try poll("the handshake does not end", every: .milliseconds(1)) { () -> Bool? in
      switch stream.handshake() {
      case .complete: return true
      case .incomplete: return nil
      case .failed(let error): throw error
      }
    }
  }

  var ends: Int64? { stream.peerCertificate?.notAfter }

  /// The answer's head, and what has come of its body.
  func get(_ path: String) throws -> String {
    var request = ByteBuffer()
    request.append("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    guard case .complete = stream.write(&request) else { throw TLSError(operation: "write", reason: "not taken") }
    var text = ""
    return try poll("no answer", every: .milliseconds(1)) { () -> String? in
      var piece = ByteBuffer()
      if case .failed(let error) = stream.read(into: &piece) { throw error }
      text += String(decoding: piece.bytes, as: UTF8.self)
      return text.contains("\r\n\r\n") ? text : nil
    }
  }
}
