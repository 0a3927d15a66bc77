import Foundation
import Postgres
import TestSupport
import Testing

/// `upmc master-key` where the service may not write its key file: the Debian package's, a secret of Compose or of
/// Kubernetes. The operator adds the new key and removes the old one; the command does the rest.
@Suite struct MasterKeyCommandTests {
  private let program: Program
  /// No name is longer, so nothing can be made beside the file, whoever runs the command.
  private let file: String
  private let old = Data(repeating: 1, count: 32).base64EncodedString()
  private let new = Data(repeating: 2, count: 32).base64EncodedString()

  init() throws {
    program = try Program()
    file = program.directory + "/" + String(repeating: "k", count: 255)
    TemporaryDirectory.write(file, "\(old)\n")
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    let url = "https://sms.example.com/upmc"
    let made = try run("webhook", "create", "com.example.bank", "--url", url, "--event", "sms.requested")
    #expect(made.status == 0, "\(made.complaint)")
  }

  private func run(_ arguments: String...) throws -> Program.Ended {
    try program.run(
      through: [], arguments, adding: ["UPMC_MASTER_KEY_FILE=\(file)"], removing: ["UPMC_MASTER_KEY"])
  }

  /// IDs of the keys with which webhooks' secrets are sealed.
  private func sealing() throws -> [String] {
    let rows = try program.connect().run(
      Statement("sealing", "SELECT DISTINCT encode(substring(sealed FROM 1 FOR 8), 'hex') FROM webhooks"))
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  @Test func `a file that may not be written stays, and the command says how to go on`() throws {
    let before = try sealing()
    let refused = try run("master-key", "rotate")
    #expect(refused.status == 1 && refused.complaint.contains("cannot be written"), "\(refused.complaint)")
    #expect(refused.complaint.contains("as the last line of the file"), "\(refused.complaint)")
    #expect(TemporaryDirectory.read(file) == "\(old)\n")
    #expect(try sealing() == before)
  }

  @Test func `a key that the operator has added seals everything anew, and the old one can go`() throws {
    TemporaryDirectory.write(file, "\(old)\n\(new)\n")
    let rotated = try run("master-key", "rotate", "--json")
    #expect(rotated.status == 0, "\(rotated.complaint)")
    let id = try #require(rotated.string("key"))
    #expect(try sealing() == [id])
    let listed = try run("master-key", "list").lines
    #expect(listed.count == 2 && listed.last == "\(id)  seals", "\(listed)")
    #expect(listed.first?.hasSuffix("  former; 0 secrets wait to be sealed anew") == true, "\(listed)")

    let refused = try run("master-key", "forget")
    #expect(refused.status == 1 && refused.complaint.contains("remove line 1 of the file"), "\(refused.complaint)")
    #expect(TemporaryDirectory.read(file) == "\(old)\n\(new)\n")
    TemporaryDirectory.write(file, "\(new)\n")
    #expect(try run("master-key", "list").lines == ["\(id)  seals"])
    let renewed = try run("webhook", "renew-secret", "1")
    #expect(renewed.status == 0, "\(renewed.complaint)")
  }
}
