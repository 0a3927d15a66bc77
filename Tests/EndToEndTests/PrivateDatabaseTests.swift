import Foundation
import Glibc
import Reactor
import TestSupport
import TestTier
import Testing

/// `upmc serve` with its private PostgreSQL, which is killed under it.
@Suite(.slow, .serialized) struct PrivateDatabaseTests {

  @Test func `a killed postmaster comes back under the serving server, with everything that was promised`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let data = directory + "/data"
    let server = try ServerProcess([
      "UPMC_DATA_DIR": data, "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
    ])
    try server.start()
    try wait("the server is not ready", server) { try status(server, "/ready") == 200 }
    let clientKey = try makeApp(data)
    // The server reads its apps once a second.
    try wait("the device was not registered", server) { [200, 201].contains(try register("d1", clientKey, server)) }

    for round in 2...3 {
      let killed = try #require(postmaster(data))
      #expect(kill(killed, SIGKILL) == 0)
      try wait("no new postmaster came", server) { postmaster(data).map { $0 != killed } ?? false }
      // Repeated as any client repeats, it is answered as soon as the database is back: with 200 where it was carried
      // out before and its answer was lost.
      try wait("nothing was written any more", server) {
        [200, 201].contains(try register("d\(round)", clientKey, server))
      }
    }
    // What was answered before is there: registering again finds the devices. Another loop of the server may still have
    // to find the database.
    for device in ["d1", "d2", "d3"] {
      var status = 0
      try wait("\(device) is not answered", server) {
        status = try register(device, clientKey, server)
        return [200, 201].contains(status)
      }
      #expect(status == 200, "\(device)")
    }
    #expect(server.isRunning, "\(server.output.suffix(2000))")

    #expect(server.stop() == .exited(0), "\(server.output.suffix(2000))")
    #expect(postmaster(data) == nil)
  }

  /// The process that the cluster's pid file names.
  private func postmaster(_ data: String) -> pid_t? {
    TemporaryDirectory.read(data + "/postgres/postmaster.pid")?.split(separator: "\n").first.flatMap { pid_t($0) }
  }

  private func makeApp(_ data: String) throws -> String {
    let output = TemporaryDirectory.make() + "/output"
    var command = try ChildProcess.start(
      [ServerProcess.program, "app", "create", World.appID, "--name", "Bank", "--json"],
      environment: [
        "PATH=\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")", "UPMC_DATA_DIR=\(data)",
        "UPMC_MIGRATIONS_DIR=\(TestDatabase.migrationsDirectory)",
      ] + Sanitizers.variables, output: .file(output), errors: .file(output))
    #expect(command.wait(atMost: .patience) == .exited(0))
    let text = TemporaryDirectory.read(output) ?? ""
    return try #require(Reply(status: 200, text: text).string("clientKey"), "\(text)")
  }

  private func register(_ device: String, _ clientKey: String, _ server: ServerProcess) throws -> Int {
    let body = """
      {"appId":"\(World.appID)","pnsId":"APNS","environment":"production","psid":"\(World.token("0" + device.suffix(1)))",\
      "deviceId":"\(device)"}
      """
    return (try? TestClient(port: server.port).call("POST", "/v1/devices", bearer: clientKey, body))?.status ?? 0
  }

  private func status(_ server: ServerProcess, _ path: String) throws -> Int {
    (try? TestClient(port: server.port).call("GET", path))?.status ?? 0
  }

  private func wait(_ complaint: String, _ server: ServerProcess, _ condition: () throws -> Bool) throws {
    _ = try poll("\(complaint): \(server.output.suffix(2000))", every: .milliseconds(100)) {
      try condition() ? true : nil
    }
  }
}
