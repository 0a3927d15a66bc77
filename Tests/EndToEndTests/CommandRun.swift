import Foundation
import Reactor
import Server
import TestSupport
import Testing

/// A command of `upmc` as a process of its own, on a test's database or against a test's server.
struct CommandRun {
  let status: Int32
  let lines: [String]
  let complaint: String

  /// The first line as a JSON object.
  func string(_ name: String) -> String? {
    let object = try? JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any]
    return object?[name] as? String
  }

  /// - Parameter variables: the whole environment, beside PATH.
  static func start(_ arguments: [String], _ variables: [String: String], in directory: String) throws -> ChildProcess {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let environment = ["PATH=\(path)"] + Sanitizers.variables + variables.map { "\($0.key)=\($0.value)" }
    return try ChildProcess.start(
      [ServerProcess.program] + arguments, environment: environment, output: .file(directory + "/output"),
      errors: .file(directory + "/errors"))
  }

  static func of(_ arguments: [String], _ variables: [String: String]) throws -> CommandRun {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    var child = try start(arguments, variables, in: directory)
    let ending = child.wait(atMost: .patience)
    guard case .exited(let status) = ending else {
      Issue.record("upmc \(arguments) has not ended by itself: \(String(describing: ending))")
      return CommandRun(status: -1, lines: [], complaint: "")
    }
    return CommandRun(
      status: status,
      lines: (TemporaryDirectory.read(directory + "/output") ?? "").split(separator: "\n").map(String.init),
      complaint: TemporaryDirectory.read(directory + "/errors") ?? "")
  }
}

extension World {
  /// What a command on the machine of the server needs.
  var commandVariables: [String: String] {
    [
      "UPMC_DATABASE_URL": database.url, "UPMC_MASTER_KEY": World.masterKeyText,
      "UPMC_MIGRATIONS_DIR": TestDatabase.migrationsDirectory, "UPMC_PUBLIC_URL": Self.publicURL,
    ]
  }

  /// Runs a command on the database.
  func command(_ arguments: String...) throws -> CommandRun { try CommandRun.of(arguments, commandVariables) }

  /// Runs a command that asks this server.
  func remote(_ key: String, _ arguments: [String]) throws -> CommandRun {
    try CommandRun.of(
      arguments, ["UPMC_SERVER": "http://127.0.0.1:\(server.address.port)", "UPMC_API_KEY": key])
  }
}
