import Foundation
import Postgres
import Reactor
import TestSupport
import Testing

/// The program `upmc` as people run it: a process of its own, on a database of its own.
final class Program {
  struct Ended {
    let status: Int32
    /// Standard output, by lines.
    let lines: [String]
    /// Standard error.
    let complaint: String
  }

  private let databaseURL: String
  let directory = TemporaryDirectory.make()
  private var variables: [String]

  /// - Parameter variables: beside the database and the master key.
  init(databaseURL: String? = nil, _ variables: [String] = []) throws {
    let databaseURL = try databaseURL ?? TestDatabase.make().url
    self.databaseURL = databaseURL
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    self.variables =
      [
        "PATH=\(path)", "UPMC_DATABASE_URL=\(databaseURL)", "UPMC_MASTER_KEY=\(Self.masterKey)",
        "UPMC_MIGRATIONS_DIR=\(TestDatabase.migrationsDirectory)",
      ] + Sanitizers.variables + variables
  }

  deinit { TemporaryDirectory.remove(directory) }

  /// A look behind the program's back.
  func connect() throws -> Connection { try TestDatabase.connect(to: databaseURL) }

  /// Who the program says has run it.
  static let unixUser = SystemAccount.current?.name ?? "unknown"

  static let masterKey = Data(repeating: 7, count: 32).base64EncodedString()

  /// Runs a command to its end.
  func run(_ arguments: String...) throws -> Ended { try run(arguments, removing: []) }

  /// Runs a command by another program, which must end in running its arguments.
  func run(through wrapper: [String], _ arguments: String...) throws -> Ended {
    try run(through: wrapper, arguments)
  }

  /// - Parameter removing: variables that are not to be set.
  func run(_ arguments: [String], removing names: [String]) throws -> Ended {
    try run(through: [], arguments, removing: names)
  }

  /// - Parameters:
  ///   - more: variables beside the others.
  ///   - names: variables that are not to be set.
  ///   - meanwhile: called with the process id once the program has started.
  func run(
    through wrapper: [String], _ arguments: [String], adding more: [String] = [], removing names: [String] = [],
    meanwhile: (_ process: Int32) throws -> Void = { _ in }
  ) throws -> Ended {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "upmc").path
    let (output, errors) = (directory + "/output", directory + "/errors")
    for file in [output, errors] { TemporaryDirectory.remove(file) }
    let environment = more + variables.filter { line in !names.contains { line.hasPrefix($0 + "=") } }
    var child = try ChildProcess.start(
      wrapper + [program] + arguments, environment: environment, output: .file(output), errors: .file(errors))
    try meanwhile(child.identifier)
    let status: Int32
    switch child.wait(atMost: .patience) {
    case .exited(let code): status = code
    // As a shell reports it.
    case .killed(let signal): status = 128 + signal
    case nil:
      Issue.record("upmc \(arguments) has not ended by itself")
      return Ended(status: -1, lines: [], complaint: "")
    }
    return Ended(
      status: status, lines: try read(output).split(separator: "\n").map(String.init), complaint: try read(errors))
  }

  private func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }
}

extension Program.Ended {
  /// The first line as a JSON object.
  var object: [String: Any]? {
    let line = lines.first ?? ""
    return try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
  }

  func string(_ key: String) -> String? { object?[key] as? String }
}
