internal import ArgumentParser
internal import Simulator

/// `--expect-client`: holds a client against what a server expects of it, prints the report, and ends.
struct ExpectClient {
  let address: String
  let json: Bool

  func run() throws {
    let run: ExpectationRun
    do {
      run = try ExpectationRun(address)
    } catch {
      throw CommandOutcome.Failure(reason: error.description)
    }
    print(
      json ? #"{"expect":"http://\#(run.address)"}"# : "Ask http://\(run.address)/expect/next for the first step.")
    flushOutput()
    let report = run.report()
    run.stop()
    print(json ? report.json : report.text)
    guard report.hasPassed else { throw ExitCode(1) }
  }
}
