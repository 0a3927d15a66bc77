import Foundation
import Reactor
import TestSupport
import TestTier
import Testing

/// The outside judge, which is written in Python and knows of the product only what a history tells.
enum Judge {
  private static let directory = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Judge").path

  /// What the judge says of a history.
  static func judge(_ history: String) throws -> ChildProcess.Report { try python(["\(directory)/judge.py", history]) }

  /// Its own tests: made-up histories, good and bad.
  static func test() throws -> ChildProcess.Report {
    try python(["-m", "unittest", "discover", "--start-directory", directory, "--top-level-directory", directory])
  }

  private static func python(_ arguments: [String]) throws -> ChildProcess.Report {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    // -B: nothing is left beside the sources. Only what hangs is ended: a history of crashes has many lines.
    return try ChildProcess.run(
      ["python3", "-B"] + arguments, environment: ["PATH=\(path)"], withErrors: true,
      atMost: .seconds(3_600 * Sanitizers.slowness))
  }
}

@Suite(.slow) struct JudgeTests {
  @Test func `the judge refuses made-up histories for the right reason, and accepts good ones`() throws {
    let report = try Judge.test()
    #expect(report.succeeded, "\(report.text)")
    let count = try #require(report.text.firstMatch(of: /Ran (\d+) tests/), "\(report.text)")
    #expect(try #require(Int(count.1)) >= 60)
  }

  @Test func `what is no history is not judged`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    try Data(#"{"e":"history","version":2,"file":1}"#.utf8).write(to: URL(filePath: "\(directory)/history"))
    let report = try Judge.judge("\(directory)/history")
    #expect(report.ending == .exited(2))
    #expect(report.text.contains("version 2 is not known"), "\(report.text)")
  }
}
