import Foundation
import Reactor
import TestSupport

/// One complete run of `upmc-torture`, and the judge's verdict on the history it records.
struct TortureRun {
  let page: String
  /// The last lines of its progress output.
  let progress: String
  let ending: ChildProcess.Ending?
  /// The verdict of `Tests/Judge`.
  let judged: ChildProcess.Report

  init(_ arguments: [String]) throws {
    // The tool is built next to the test executable.
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
    // Only what hangs is ended: on a busy machine the account takes many times as long.
    ending = child.wait(atMost: .seconds(3_600 * Sanitizers.slowness))
    page = TemporaryDirectory.read("\(directory)/page") ?? ""
    progress = String((TemporaryDirectory.read("\(directory)/progress") ?? "").suffix(4000))
    judged = try Judge.judge("\(directory)/history")
  }
}
