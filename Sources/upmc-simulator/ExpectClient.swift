internal import ArgumentParser
internal import Simulator

/// `--expect-client`: holds a client against what a server expects of it, prints the report, and ends.
struct ExpectClient {
  let address: String
  let json: Bool

  /// Runs the conformance test.
  /// - Throws: `Simulator.StartFailure` when the address cannot be opened; status 1 when a step failed.
  func run() throws {
    let run = try ExpectationRun(address)
    print(
      json ? #"{"expect":"http://\#(run.address)"}"# : "Ask http://\(run.address)/expect/next for the first step.")
    flushOutput()
    let report = run.report()
    run.stop()
    print(json ? report.json : report.text)
    guard report.hasPassed else { throw ExitCode(1) }
  }
}
