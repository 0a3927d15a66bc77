import COpenSSL
import Crypto
import Glibc
import Reactor
import Testing

@testable import TLS

/// Peers whose records are no data: OpenSSL reads on by itself until it finds some, so each call has its share of reads.
@Suite struct HostilePeerTests {
  /// Both ends of a connection; the server may be anybody's, the client is ours.
  private func connected() throws -> Connected {
    let authority = try CertificateAuthority()
    return try Connected(
      client: TLSContext.client(trust: TLSContext.Trust(systemAuthorities: false, pems: [authority.certificatePEM])),
      server: TLSContext.server(identity: authority.issueServer()))
  }

  /// Bytes that wait in the socket.
  private func waiting(_ stream: TLSStream) -> Int {
    var count: Int32 = 0
    _ = ioctl(stream.descriptor, UInt(FIONREAD), &count)
    return Int(count)
  }

  /// Sends changes of keys until the socket takes no more. Each costs the reader a derivation.
  private func floodWithKeys(_ stream: TLSStream) {
    var count = 0
    while count < 200_000, SSL_key_update(stream.ssl, SSL_KEY_UPDATE_NOT_REQUESTED) == 1,
      SSL_do_handshake(stream.ssl) == 1
    { count += 1 }
    ErrorQueue.clear()
  }

  @Test func `changes of keys without end take one share of a turn each`() throws {
    let pair = try connected()
    floodWithKeys(pair.server)
    let before = waiting(pair.client)
    let share = TLS.Limits.readAheadBytes * TLS.Limits.spareReads
    #expect(before > share, "\(before) bytes")
    var input = ByteBuffer()
    guard case .wouldBlock(.readable) = pair.client.read(into: &input, limit: 1) else {
      return #expect(Bool(false), "it found data")
    }
    #expect(input.isEmpty && waiting(pair.client) >= before - share && waiting(pair.client) > 0)
    // What comes behind it arrives, some turns later.
    var output = ByteBuffer()
    output.append("data")
    for _ in 0..<1_000 where input.isEmpty {
      _ = pair.client.read(into: &input)
      _ = pair.server.write(&output)
    }
    #expect(input.withReadable { String(copying: $0) } == "data")
  }

  @Test func `one byte of data buys one more read, not all of a turn's`() throws {
    let pair = try connected()
    var output = ByteBuffer()
    output.append("x")
    _ = pair.server.write(&output)
    floodWithKeys(pair.server)
    let before = BIO_number_read(SSL_get_rbio(pair.client.ssl))
    var input = ByteBuffer()
    guard case .wouldBlock(.readable) = pair.client.read(into: &input) else {
      return #expect(Bool(false), "it went on")
    }
    let taken = BIO_number_read(SSL_get_rbio(pair.client.ssl)) - before
    #expect(input.count == 1 && taken <= 2 * UInt64(TLS.Limits.readAheadBytes), "\(taken) bytes")
  }
}
