import Crypto
import Foundation
import Postgres
import TLS
import TestSupport
import Testing

/// Commands that seal something: with a key that is not the database's they change nothing.
@Suite struct SealingTests {
  private let program: Program
  private let otherKey = Data(repeating: 8, count: 32).base64EncodedString()

  init() throws {
    program = try Program()
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
  }

  private var setKey: [String] {
    let path = program.directory + "/AuthKey.p8"
    TemporaryDirectory.write(path, P256.PrivateKey().pem)
    return [
      "app", "credential", "com.example.bank", "--apns-key", path, "--key-id", "ABCDE12345", "--team-id", "FGHIJ67890",
    ]
  }

  /// All that is sealed.
  private func sealed() throws -> String {
    try program.connect().run(
      Statement(
        "sealed",
        """
        SELECT coalesce(string_agg(encode(sealed, 'hex'), ' ' ORDER BY sealed), '') FROM (
          SELECT sealed FROM credentials UNION ALL SELECT sealed FROM webhooks UNION ALL
          SELECT sealed FROM signing_keys) s
        """)
    ).text(0, 0)
  }

  private func runWithOtherKey(_ arguments: [String]) throws -> Program.Ended {
    try program.run(through: [], arguments, adding: ["UPMC_MASTER_KEY=\(otherKey)"], removing: ["UPMC_MASTER_KEY"])
  }

  @Test func `a credential is not written over with a key that opens nothing here`() throws {
    #expect(try program.run(setKey, removing: []).status == 0)
    let before = try sealed()
    #expect(!before.isEmpty)
    let ended = try runWithOtherKey(setKey)
    #expect(ended.status == 1 && ended.lines.isEmpty, "\(ended.lines)")
    #expect(
      ended.complaint.hasPrefix("upmc: UPMC_MASTER_KEY is another key than the one that sealed"), "\(ended.complaint)")
    #expect(ended.complaint.contains("Nothing was changed"), "\(ended.complaint)")
    #expect(try sealed() == before)
  }

  @Test func `a push certificate is neither, and no webhook is made`() throws {
    #expect(try program.run(setKey, removing: []).status == 0)
    let before = try sealed()
    let identity = try CertificateAuthority().issuePushClient(
      bundleID: "com.example.bank", topics: [("com.example.bank", "app")], notAfter: 4_000_000_000)
    let path = program.directory + "/push.pem"
    TemporaryDirectory.write(path, identity.pem)
    for arguments in [
      ["app", "credential", "com.example.bank", "--apns-certificate", path],
      ["webhook", "create", "com.example.bank", "--url", "https://sms.example.com/upmc", "--event", "sms.requested"],
    ] {
      let ended = try runWithOtherKey(arguments)
      #expect(ended.status == 1 && ended.complaint.contains("is another key"), "\(arguments): \(ended.complaint)")
    }
    #expect(try sealed() == before)
  }

  @Test func `the first that seals is let in, and so is whoever has its key`() throws {
    #expect(try runWithOtherKey(setKey).status == 0)
    let again = try runWithOtherKey(setKey)
    #expect(again.status == 0, "\(again.complaint)")
    #expect(try program.run(setKey, removing: []).status == 1)
  }

  @Test func `the server refuses a key that does not open a credential, though it has sealed nothing itself`() throws {
    #expect(try runWithOtherKey(setKey).status == 0)
    let ended = try program.run(through: [], ["serve"], adding: ["UPMC_LISTEN=127.0.0.1:0"])
    #expect(ended.status == 1 && ended.complaint.contains("is another key"), "\(ended.complaint)")
  }
}
