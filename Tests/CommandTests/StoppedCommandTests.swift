import Foundation
import Postgres
import Reactor
import TestSupport
import TestTier
import Testing

/// A signal ends a command: at once, or once what the command has begun is cleared away.
@Suite(.slow) struct StoppedCommandTests {
  /// Sends the command a signal after three seconds, and ends with the command's own status.
  private static func sending(_ signal: String) -> [String] {
    ["timeout", "--preserve-status", "--signal=\(signal)", "3"]
  }

  @Test(arguments: [("INT", 130), ("TERM", 143)])
  func `a command that waits for a server`(_ signal: String, _ status: Int) throws {
    // Accepts connections, and never answers.
    let silent = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let port = silent.localAddress?.port ?? 0
    let program = try Program()
    let ended = try program.run(
      through: Self.sending(signal), ["health", "--timeout", "60"], adding: ["UPMC_LISTEN=127.0.0.1:\(port)"])
    #expect(Int(ended.status) == status, "\(ended.complaint)")
    // Still open until here.
    let stays = silent.localAddress != nil
    #expect(stays)
  }

  @Test func `a backup ends its program and leaves no half file`() throws {
    let program = try Program()
    let holder = try program.connect()
    try holder.script("BEGIN; LOCK TABLE apps IN ACCESS EXCLUSIVE MODE")
    let file = program.directory + "/b.dump"
    let ended = try program.run(through: Self.sending("TERM"), "backup", file)
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("A signal has stopped"), "\(ended.complaint)")
    #expect(!FileManager.default.fileExists(atPath: file) && !FileManager.default.fileExists(atPath: file + ".part"))
    // Its session may have ended by itself, for a transaction is not idle for long.
    try? holder.script("ROLLBACK")
    #expect(try program.run("backup", file).status == 0)
  }
}
