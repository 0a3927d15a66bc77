import Foundation
import Reactor
import TestSupport

/// One run of `upmc-torture` to its end, and what the judge says of the history that it leaves.
struct TortureRun {
  let page: String
  /// The end of what it said meanwhile.
  let progress: String
  let ending: ChildProcess.Ending?
  /// Of somebody else, on what was written down.
  let judged: ChildProcess.Report

  init(_ arguments: [String]) throws {
    // The programs lie beside the tests' own.
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "upmc-torture")
      .path
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    var child = try ChildProcess.start(
      [program] + arguments + ["--history", "\(directory)/history"],
      environment: ["PATH=\(path)", "UPMC_MIGRATIONS_DIR=\(TestDatabase.migrationsDirectory)"]
        + Sanitizers.variables,
      output: .file("\(directory)/page"), errors: .file("\(directory)/progress"))
    ending = child.wait(atMost: .seconds(600 * Sanitizers.slowness))
    page = TemporaryDirectory.read("\(directory)/page") ?? ""
    progress = String((TemporaryDirectory.read("\(directory)/progress") ?? "").suffix(4000))
    judged = try Judge.judge("\(directory)/history")
  }
}
