internal import ArgumentParser
internal import Simulator

/// `--expect-client`: runs the conformance test against a client, prints the report, and exits.
struct ExpectClient {
  static let help = """
    EXPECT A CLIENT
      upmc-simulator --expect-client 127.0.0.1:9090
    stands in for a UPMC server, for a client in any language. Ask
    GET /expect/next for a step, let the client do it, ask for the next,
    until "done": then the report is printed, and the exit status is 1 when
    anything was not as expected. Steps: register (appId clientKey token
    clientUid userProof), setUser (clientUid userProof), push (payloads),
    restart, flush (afterSeconds), read (payload badgeOption badge), setBadge
    (badge), joinGroup (groupSeq), consent (notification ad), inbox,
    unregisterUser, unregisterService. A client that lacks some of these
    parts says so at first: /expect/next?without=strict,consent,inbox.
    """

  let address: String
  let json: Bool

  /// Runs the conformance test.
  /// - Throws: `Simulator.StartFailure` if the address cannot be opened; `ExitCode(1)` if a step failed.
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
