import Foundation
import Reactor
import TestSupport
import Testing

/// `upmc demo` as a process of its own, as `make run` starts it.
final class DemoProcess {
  private(set) var port: UInt16
  private var child: ChildProcess
  private let directory: String
  var dataDirectory: String { directory + "/data" }
  private var log: String { directory + "/demo.log" }
  /// What it has printed so far.
  var output: String { TemporaryDirectory.read(log) ?? "" }

  init() throws {
    directory = TemporaryDirectory.make()
    port = try LastingPort.find()
    child = try Self.start(in: directory, at: port)
  }

  private static func start(in directory: String, at port: UInt16) throws -> ChildProcess {
    try ChildProcess.start(
      [ServerProcess.program, "demo"],
      environment: [
        "PATH=\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")", "UPMC_DATA_DIR=\(directory)/data",
        "UPMC_LISTEN=127.0.0.1:\(port)", "UPMC_MIGRATIONS_DIR=\(TestDatabase.migrationsDirectory)",
        "UPMC_PUBLIC_DIR=\(TestDatabase.migrationsDirectory)/../Public",
      ] + Sanitizers.variables, output: .file(directory + "/demo.log"), errors: .file(directory + "/demo.log"))
  }

  deinit {
    _ = child.stop(timeout: .patience)
    TemporaryDirectory.remove(directory)
  }

  /// Where the link that it prints leads on its server, once it stands there.
  func link() throws -> String {
    try poll("upmc demo printed no link: \(TemporaryDirectory.read(log) ?? "")") {
      let text = TemporaryDirectory.read(log) ?? ""
      if text.contains("another program has this port") {
        // Another test was faster: once more, with another port.
        _ = child.stop(timeout: .patience)
        try FileManager.default.removeItem(atPath: log)
        port = try LastingPort.find()
        child = try Self.start(in: directory, at: port)
        return nil
      }
      guard text.contains("Ctrl-C stops everything") else { return nil }
      return text.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+(\/#sign-in=\S+)/).map { String($0.1) }
    }
  }
}
