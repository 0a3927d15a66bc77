import Glibc
import Reactor
import TestSupport
import Testing

@testable import TLS

/// Files that somebody uploads to hold the thread that opens them, or to make it ask.
@Suite struct HostileFileTests {
  // MARK: Passphrases

  @Test(.serialized, arguments: [true, false])
  func `a certificate that claims to be encrypted is refused, and nobody is asked for a passphrase`(
    _ isTrusted: Bool
  ) throws {
    // Without a terminal OpenSSL would ask standard input, where the right answer lies.
    let ends = try Pipe()
    ends.write("secret\nsecret\nsecret\nsecret\n")
    let kept = dup(STDIN_FILENO)
    dup2(ends.reading, STDIN_FILENO)
    defer {
      dup2(kept, STDIN_FILENO)
      close(kept)
    }
    if isTrusted {
      #expect(throws: TLSError.self) {
        try TLSContext.client(trust: TLSContext.Trust(systemAuthorities: false, pems: [Self.encrypted]))
      }
    } else {
      #expect(throws: TLSError.self) {
        try TLSIdentity(certificateChainPEM: Self.encrypted, privateKeyPEM: Self.key)
      }
      #expect(throws: TLSError.self) { try TLSIdentity(pem: Self.encrypted + "\n" + Self.key, passphrase: "secret") }
    }
    #expect(ends.waiting == 28, "somebody was asked")
  }

  /// A pipe that is closed with its owner.
  private final class Pipe {
    let reading: Int32
    private let writing: Int32

    init() throws {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { throw SystemError.last("pipe") }
      (reading, writing) = (ends[0], ends[1])
    }

    deinit {
      close(reading)
      close(writing)
    }

    func write(_ text: String) {
      _ = Glibc.write(writing, text, text.utf8.count)
    }

    /// Bytes that nobody has read.
    var waiting: Int32 {
      var count: Int32 = 0
      _ = ioctl(reading, UInt(FIONREAD), &count)
      return count
    }
  }

  // MARK: Rounds

  /// An archive as `openssl pkcs12` makes it.
  private func archive(_ options: [String]) throws -> [UInt8] {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let identity = try CertificateAuthority().issuePushClient(
      bundleID: "com.example.app", topics: [("com.example.app", "app")])
    TemporaryDirectory.write("\(directory)/all.pem", identity.pem)
    try run(
      ["openssl", "pkcs12", "-export", "-in", "\(directory)/all.pem", "-out", "\(directory)/a.p12"]
        + ["-passout", "pass:secret"] + options)
    return bytes("\(directory)/a.p12")
  }

  private func run(_ command: [String]) throws {
    var program = try ChildProcess.start(command, errors: .discarded)
    #expect(program.wait(atMost: .patience) == .exited(0), "\(command)")
  }

  private func bytes(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  private func reason(_ archive: [UInt8], passphrase: String = "secret") -> String? {
    do throws(TLSError) {
      _ = try TLSIdentity(pkcs12: archive, passphrase: passphrase)
      return nil
    } catch {
      return error.reason
    }
  }

  private static let tooMany = "hashed more than \(TLS.Limits.derivationRounds) times"

  @Test(arguments: [
    ["-iter", "2048"], ["-iter", "600000"], ["-certpbe", "NONE"], ["-keypbe", "NONE"],
    ["-legacy", "-iter", "10000"], ["-nomaciter", "-noiter"],
  ]) func `archives of usual tools are opened`(_ options: [String]) throws {
    #expect(try reason(archive(options)) == nil)
  }

  @Test(arguments: [
    ["-iter", "2000001", "-nomaciter"], ["-iter", "2000001", "-nomac"],
    ["-iter", "2000001", "-certpbe", "NONE", "-nomaciter"],
    ["-iter", "2000001", "-keypbe", "NONE", "-certpbe", "PBE-SHA1-3DES", "-nomaciter"],
    ["-iter", "2000001", "-keypbe", "NONE", "-certpbe", "AES-256-CBC", "-nomaciter"], ["-legacy", "-iter", "2000001"],
  ]) func `an archive that asks for too many rounds is refused before the first`(_ options: [String]) throws {
    let found = try reason(archive(options))
    #expect(found?.contains(Self.tooMany) == true, "\(found ?? "opened")")
  }

  @Test func `so is one whose authentication asks for them, and one that asks for billions`() throws {
    // The number of the MAC is the last of the archive: INTEGER 2048.
    let archive = try archive([])
    #expect(Array(archive.suffix(4)) == [2, 2, 8, 0])
    for number in [[2, 4, 0x7F, 0xFF, 0xFF, 0xFF], [2, 3, 0x1E, 0x84, 0x81]] as [[UInt8]] {
      let patched = Self.lengthened(archive, last: 4, by: number)
      let found = reason(patched)
      #expect(found?.contains(Self.tooMany) == true, "\(found ?? "opened")")
    }
  }

  /// Puts something longer for the last bytes of `SEQUENCE { …, SEQUENCE { … } }`, both with lengths of two bytes or one.
  private static func lengthened(_ archive: [UInt8], last count: Int, by tail: [UInt8]) -> [UInt8] {
    var outer = DERReader(archive[...])
    guard let whole = outer.next() else { return [] }
    var items = DERReader(whole.content)
    var parts: [(tag: UInt8, content: ArraySlice<UInt8>)] = []
    while let item = items.next() { parts.append(item) }
    let mac = Array(parts[parts.count - 1].content.dropLast(count)) + tail
    let content = parts.dropLast().flatMap { element($0.tag, Array($0.content)) } + element(0x30, mac)
    return element(0x30, content)
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] = count < 128 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 255)]
    return [tag] + length + content
  }

  @Test(arguments: [
    (["-iter", "2000001"], true), (["-scrypt", "-scrypt_N", "16384", "-scrypt_r", "8", "-scrypt_p", "16"], true),
    (["-iter", "600000"], false), (["-scrypt"], false), (["-v1", "PBE-SHA1-3DES", "-iter", "2000001"], true),
  ]) func `an encrypted key in PEM is weighed as well`(_ options: [String], _ isRefused: Bool) throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let identity = try CertificateAuthority().issueServer()
    TemporaryDirectory.write("\(directory)/key.pem", identity.privateKeyPEM)
    try run(
      ["openssl", "pkcs8", "-topk8", "-in", "\(directory)/key.pem", "-out", "\(directory)/out.pem"]
        + ["-passout", "pass:secret"] + options)
    let text = String(decoding: bytes("\(directory)/out.pem"), as: UTF8.self) + identity.certificateChainPEM
    do throws(TLSError) {
      let opened = try TLSIdentity(pem: text, passphrase: "secret")
      #expect(!isRefused && opened.certificate == identity.certificate)
    } catch {
      #expect(isRefused && error.reason.contains(Self.tooMany), "\(error)")
    }
  }

  @Test func `nothing in front of a key hides it from the weighing`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let identity = try CertificateAuthority().issueServer()
    TemporaryDirectory.write("\(directory)/key.pem", identity.privateKeyPEM)
    try run(
      ["openssl", "pkcs8", "-topk8", "-in", "\(directory)/key.pem", "-out", "\(directory)/out.pem"]
        + ["-passout", "pass:secret", "-iter", "2000001"])
    let key = String(decoding: bytes("\(directory)/out.pem"), as: UTF8.self)
    let label = "ENCRYPTED PRIVATE KEY-----\n"
    for junk in ["AAAA", "MAMCAQA=", "?", ""] {
      let text = "-----BEGIN \(label)\(junk)\n-----END \(label)" + key + identity.certificateChainPEM
      #expect(throws: TLSError.self, "\(junk)") { try TLSIdentity(pem: text, passphrase: "secret") }
    }
  }

  @Test func `rounds are summed up to the limit, and one more is refused`() throws {
    var cost = DerivationCost()
    try cost.add(TLS.Limits.derivationRounds - 1)
    try cost.add(1)
    #expect(throws: TLSError.self) { try cost.add(1) }
    #expect(throws: TLSError.self) { try cost.add(.max) }
    #expect(throws: TLSError.self) { try cost.add(-1) }
  }

  @Test(
    arguments: [
      // No INTEGER, a negative one, one of nine bytes, none at all.
      [0x30, 5, 4, 1, 0, 4, 0], [0x30, 6, 4, 1, 0, 2, 1, 0xFF], [0x30, 5, 4, 1, 0, 2, 0],
      [0x30, 14, 4, 1, 0, 2, 9, 0, 1, 1, 1, 1, 1, 1, 1, 1], [0x30, 3, 4, 1, 0],
      // OpenSSL reads these and our reader refuses them: indefinite lengths, and lengths of five bytes.
      [0x30, 0x80, 4, 1, 0, 2, 1, 1, 0, 0], [0x30, 0x85, 0, 0, 0, 0, 6, 4, 1, 0, 2, 1, 1],
      [0x30, 10, 0x24, 0x80, 4, 1, 0, 0, 0, 2, 1, 1], [0x30, 9, 0x30, 0x80, 6, 1, 0, 0x30, 0, 0, 0],
      [0x30, 12, 0x30, 10, 6, 1, 0, 0x30, 0x80, 2, 1, 1, 0, 0], [0x30, 7, 0x30, 5, 6, 1, 0, 0x30, 0],
      [0x30, 5, 0x30, 3, 6, 1, 0], [0x30, 0], [2, 1, 1],
    ] as [[UInt8]]) func `a number of rounds that is none is refused`(_ parameters: [UInt8])
  {
    var cost = DerivationCost()
    #expect(throws: TLSError.self) { try cost.add(parameters: parameters) }
  }

  // MARK: Examples

  /// A certificate of no use, encrypted with "secret" as RFC 1421 has it.
  private static let encrypted = """
    -----BEGIN CERTIFICATE-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,000102030405060708090A0B0C0D0E0F

    bky4NPLMEkHzOttTecL/XJyycnvp63ZoifJU/lqo5sdbQT7iMCRQPLEYJ4Ub1IfE
    VNLCDDt9ySm58no6iOgxtVJf31N9vL3pBb4lL1FN+V704evCQ3393FDdZlzTJafj
    TPwG5733n5EuVcygzDcCS1jdvbBtGkURISKCU6jidY72KBhkG6jpj0FYTKr0zU5+
    ywXxOZzNxoYSBlMZpRp1uzwoGEhyY4FiZutBG6fDftufXzwPzDrVOGLzLYzsXfnt
    VgBUGs9+gk5hPgqvugO5GPrOcd+ZwM/aclfbk+jL61g4+KeGbQGAIZCbi1kQT+0Z
    ZSYMzOFIYKiuFSpRNneeRO5lXa1fkqBAdVW/G1oEE5i9z2mtp08yhRnwzXi6LUEm
    zMKcVaAOfMIZuCsf9TMo61tjTcGTp+qRA2m7etaWpV2PDBuzf7612B9G1BRSB0l9
    lNNhVlBI/XZhHw1e79m0sePJCi9aFXh34oYua+l2QkkDIq2+sZr8sWLSBC8K9suU
    -----END CERTIFICATE-----
    """

  private static let key = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg51cW4u7tosKdqDgf
    8GuZG3bvs+EWm0d8HlB40SNWCIuhRANCAAQNv/6/QZpTsV1iWNJ+YYnBlCKD9/zV
    LZeEywDO/esO5NngMaBNTYRQfObKk7mO9ZskhXV8kUCJQyBgkpr+9zh5
    -----END PRIVATE KEY-----
    """
}
