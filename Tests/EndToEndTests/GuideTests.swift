import Foundation
import Reactor
import Server
import TestSupport
import TestTier
import Testing

/// The programs that the handbook offers for back ends, run as they stand there. Java's is run by `make fuzz-api`, which
/// installs it.
@Suite(.slow, .serialized) struct GuideTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "FuzzAPI/guides.py").path

  @Test(arguments: ["python", "node"])
  func `a back end sends a code once, asks again properly, and knows who signed`(_ language: String) throws {
    let world = try World(webhookPauses: [1])
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let report = try ChildProcess.run(
      [
        "python3", "-B", Self.script, "--server=http://127.0.0.1:\(world.server.address.port)",
        // A key may begin with a hyphen.
        "--client-key=\(world.clientKey)", "--api-key=\(world.apiKey)", "--app=\(World.appID)", language,
      ], environment: ["PATH=\(path)"], withErrors: true, atMost: .patience)
    #expect(report.succeeded && report.text.contains("\(language): sent message 1"), "\(report.text)")
  }
}
