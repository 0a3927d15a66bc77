import Foundation
import Reactor
import TestSupport

/// `upmc serve` as a process of its own, so that it can be killed.
final class ServerProcess {
  private var child: ChildProcess?
  private let environment: [String]
  private let log: String
  /// Chosen by the first start and kept by all others, as a real server's would be.
  private(set) var port: UInt16 = 0

  /// - Parameter variables: beside the address.
  init(_ variables: [String: String]) throws {
    log = TemporaryDirectory.make() + "/serve.log"
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let all = ["PATH": path].merging(variables) { $1 }
    environment = Sanitizers.variables + all.map { "\($0.key)=\($0.value)" }
    port = try LastingPort.find()
  }

  deinit { kill() }

  /// The program beside the tests' own.
  static var program: String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "upmc").path
  }

  /// - Parameter command: what runs `upmc serve` in the end.
  func start(_ command: [String] = [program, "serve"]) throws {
    child = try ChildProcess.start(
      command, environment: environment + ["UPMC_LISTEN=127.0.0.1:\(port)"], output: .file(log),
      errors: .file(log))
  }

  /// Runs another command of the program with the server's own variables. Returns its exit status and what it printed.
  func run(_ arguments: String...) throws -> (ending: ChildProcess.Ending?, output: String) {
    let file = TemporaryDirectory.make() + "/output"
    defer { TemporaryDirectory.remove(URL(filePath: file).deletingLastPathComponent().path) }
    var command = try ChildProcess.start(
      [Self.program] + arguments, environment: environment + ["UPMC_LISTEN=127.0.0.1:\(port)"], output: .file(file),
      errors: .file(file))
    let ending = command.wait(atMost: .patience)
    return (ending, (try? String(contentsOfFile: file, encoding: .utf8)) ?? "")
  }

  /// False once it has ended by itself.
  var isRunning: Bool { child != nil && child?.wait(atMost: .zero) == nil }

  var identifier: Int32? { child?.identifier }

  func signal(_ number: Int32) { child?.signal(number) }

  /// Asks it to end and waits.
  func stop() -> ChildProcess.Ending? {
    defer { child = nil }
    return child?.stop(timeout: .patience)
  }

  /// Ends it as nothing can be prevented: SIGKILL.
  func kill() {
    // The owner kills and reaps.
    child = nil
  }

  var output: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
}
