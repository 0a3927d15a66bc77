import Foundation
import Glibc
import Reactor
import TestSupport
import TestTier
import Testing

/// `upmc serve` as set-ups start it that are unlike a developer's.
@Suite(.slow) struct StartTests {
  private func wait(_ complaint: String, _ server: ServerProcess, _ condition: () -> Bool) throws {
    let isSo = try poll("\(complaint): \(server.output.suffix(2000))") { () -> Bool? in
      if condition() { return true }
      return server.isRunning ? nil : false
    }
    if !isSo { throw WaitedInVain("\(complaint), and it has ended: \(server.output.suffix(2000))") }
  }

  private func status(_ server: ServerProcess, _ path: String) -> Int? {
    (try? TestClient(port: server.port).call("GET", path))?.status
  }

  private func variables() throws -> [String: String] {
    [
      "UPMC_DATABASE_URL": try TestDatabase.make().url,
      "UPMC_MASTER_KEY": World.masterKeyText,
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
    ]
  }

  @Test func `a pod that Kubernetes tells of a Service called upmc serves`() throws {
    let links = [
      "UPMC_SERVICE_HOST": "10.0.0.1", "UPMC_SERVICE_PORT": "80", "UPMC_SERVICE_PORT_HTTP": "80",
      "UPMC_PORT": "tcp://10.0.0.1:80", "UPMC_PORT_80_TCP": "tcp://10.0.0.1:80", "UPMC_PORT_80_TCP_PROTO": "tcp",
      "UPMC_PORT_80_TCP_PORT": "80", "UPMC_PORT_80_TCP_ADDR": "10.0.0.1",
    ]
    let server = try ServerProcess(try variables().merging(links) { $1 })
    try server.start()
    try wait("it is not ready", server) { status(server, "/ready") == 200 }
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
  }

  @Test func `found through PATH from elsewhere, it has its console and its migrations`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let files = FileManager.default
    let program = directory + "/upmc"
    // A name in a directory of its own: another one to the same file would lead back to where the tests were built.
    if (try? files.linkItem(atPath: ServerProcess.program, toPath: program)) == nil {
      // By another process: a program cannot be started while anybody has it open for writing, and the children that other
      // tests begin have for a moment whatever this process has open.
      #expect(try ChildProcess.run(["/bin/cp", ServerProcess.program, program], atMost: .patience).succeeded)
    }
    for name in ["Public", "Migrations"] {
      let place = URL(filePath: TestDatabase.migrationsDirectory).deletingLastPathComponent().appending(path: name).path
      try files.createSymbolicLink(atPath: directory + "/" + name, withDestinationPath: place)
    }
    var variables = try variables()
    variables["UPMC_MIGRATIONS_DIR"] = ""
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let server = try ServerProcess(variables.merging(["PATH": "\(directory):\(path)"]) { $1 })
    try server.start(["/bin/sh", "-c", "cd / && exec upmc serve"])
    try wait("it is not ready", server) { status(server, "/ready") == 200 }
    #expect(status(server, "/") == 200, "\(server.output.suffix(2000))")
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
  }

  @Test func `a server for which Google only checks messages says so`() throws {
    let server = try ServerProcess(try variables().merging(["UPMC_FCM_VALIDATE_ONLY": "true"]) { $1 })
    try server.start()
    try wait("it does not say so", server) { server.output.contains("UPMC_FCM_VALIDATE_ONLY is true") }
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
  }

  @Test func `signals that mean something to other servers do not end it`() throws {
    let server = try ServerProcess(try variables())
    try server.start()
    try wait("it is not ready", server) { status(server, "/ready") == 200 }
    for number in [SIGUSR1, SIGUSR2] { server.signal(number) }
    #expect(status(server, "/ready") == 200)
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
  }

  @Test func `without a console's files it serves, and says that they are missing`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let server = try ServerProcess(try variables())
    try server.start(["/bin/sh", "-c", "cd \(directory) && exec \(ServerProcess.program) serve"])
    try wait("it is not ready", server) { status(server, "/ready") == 200 }
    #expect(status(server, "/") == 404)
    #expect(server.output.contains("the console's files were not found"), "\(server.output.suffix(2000))")
    #expect(server.output.contains("UPMC_PUBLIC_DIR"))
    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
  }
}
