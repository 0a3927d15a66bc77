import Foundation
import Glibc
import Postgres
import Reactor
import TestSupport
import TestTier
import Testing

/// A signal ends a command: at once, or once what the command has begun is cleared away.
@Suite(.slow) struct StoppedCommandTests {
  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)])
  func `a command that waits for a server`(_ signal: Int32, _ status: Int) throws {
    // Accepts connections, and never answers.
    let silent = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let port = silent.localAddress?.port ?? 0
    let listener = silent.release()
    var client: Int32 = -1
    defer { for descriptor in [listener, client] { close(descriptor) } }
    let program = try Program()
    let ended = try program.run(
      through: [], ["health", "--timeout", "60"], adding: ["UPMC_LISTEN=127.0.0.1:\(port)"]
    ) { process in
      client = try poll("it does not ask") { () -> Int32? in
        let accepted = accept(listener, nil, nil)
        return accepted >= 0 ? accepted : nil
      }
      kill(process, signal)
    }
    #expect(Int(ended.status) == status, "\(ended.complaint)")
  }

  @Test func `a backup ends its program and leaves no half file`() throws {
    let program = try Program()
    let holder = try program.connect()
    try holder.script("BEGIN; LOCK TABLE apps IN ACCESS EXCLUSIVE MODE")
    let file = program.directory + "/b.dump"
    let watcher = try program.connect()
    let ended = try program.run(through: [], ["backup", file]) { process in
      _ = try poll("it waits for no table") { try watcher.waitingSessions() > 0 ? true : nil }
      kill(process, SIGTERM)
    }
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("A signal has stopped"), "\(ended.complaint)")
    #expect(!FileManager.default.fileExists(atPath: file) && !FileManager.default.fileExists(atPath: file + ".part"))
    try holder.script("ROLLBACK")
    #expect(try program.run("backup", file).status == 0)
  }
}
