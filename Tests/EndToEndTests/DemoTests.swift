import Maintenance
import Foundation
import Reactor
import TestSupport
import TestTier
import Testing

/// `upmc demo` where somebody else is already, and the doctor beside it.
@Suite(.slow, .serialized) struct DemoTests {
  /// Whether the doctor has waited for an answer for the few seconds that it has, and no longer.
  private static func isLate(_ finding: Finding) -> Bool {
    [
      "no answer within", "no answer in time", "no answer from the peer", "not answered in time", "took longer than",
      "due to statement timeout",
    ].contains { finding.what.contains($0) }
  }

  @Test func `the doctor finds nothing wrong with a demonstration that runs`() throws {
    let demo = try DemoProcess()
    _ = try demo.link()
    var (found, failures): ([Finding], Int) = ([], 0)
    for _ in 1...3 {
      found = []
      let doctor = Doctor { found.append($0) }
      doctor.examine(environment: [
        "UPMC_DATA_DIR": demo.dataDirectory, "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory,
      ])
      failures = doctor.failures
      // Only where it has given up nothing but what a busy machine would have answered later is it asked again.
      guard failures > 0, found.allSatisfy({ $0.severity != .failure || Self.isLate($0) }) else { break }
    }
    #expect(failures == 0, "\(found.filter { $0.severity == .failure })")
    #expect(found.contains { $0.subject == "demonstration" && $0.severity == .ok })
    #expect(found.contains { $0.subject == "APNS" && $0.what.contains("works") }, "\(found)")
  }

  @Test func `a demonstration says what share of its phones confirms, and why`() throws {
    let demo = try DemoProcess()
    _ = try demo.link()
    let said = try #require(
      demo.output.firstMatch(of: /(\d+) of 65 accepted pushes were confirmed \((\d+) %\): (.*mutable-content)/))
    let confirmed = try #require(Int(said.1))
    // Some of them are switched off; all others' extensions report.
    let off = try #require(demo.output.firstMatch(of: /(\d+) devices are switched off/).flatMap { Int($0.1) })
    #expect((1...20).contains(off) && confirmed == 65 - off, "\(demo.output)")
  }

  @Test func `a port that is taken is the first that is said, with another one`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let taken = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    let port = try #require(taken.localAddress?.port)
    let report = try ChildProcess.run(
      [ServerProcess.program, "demo"],
      environment: [
        "PATH=\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")", "UPMC_DATA_DIR=\(directory)/data",
        "UPMC_LISTEN=127.0.0.1:\(port)",
      ] + Sanitizers.variables, withErrors: true, atMost: .patience)
    #expect(report.ending == .exited(1))
    let lines = report.text.split(separator: "\n")
    #expect(lines.count == 1, "\(lines)")
    #expect(lines.first?.contains("UPMC_LISTEN=127.0.0.1:\(port) cannot be listened on") == true, "\(lines)")
    #expect(lines.first?.contains("for example UPMC_LISTEN=127.0.0.1:") == true, "\(lines)")
    #expect(!FileManager.default.fileExists(atPath: directory + "/data"))
  }
}
