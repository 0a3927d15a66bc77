internal import Reactor

/// One question, measured: how fast is UPMC at this, compared with a peer at the same?
protocol Scenario: Sendable {
  /// For example `H1`.
  var name: String { get }
  var summary: String { get }
  /// Starts what it needs, measures, and stops everything it started. Throws when it cannot say.
  func measure(_ plan: Plan) throws -> Outcome
}

/// How thoroughly to measure.
struct Plan: Sendable {
  let pairs: Int
  let seconds: Int
  /// Rows that H2's table holds before it begins.
  let storedReceipts: Int
  /// Devices that campaigns go to.
  let campaignDevices: Int
  /// Devices that P6 grows to.
  let growthDevices: Int
  /// Messages that are over, up to which P8 grows.
  let finishedMessages: Int
  /// Sends beside a kept snapshot in P8.
  let heldSends: Int
  /// Directory with the programs of `Tests/Peers`.
  let peers: String
  /// This program's own file, to start its helper commands.
  let program: String

  /// Tells whoever waits at the terminal how far it is.
  func say(_ line: String) {
    StandardStreams.printError(line)
  }
}

/// Why a scenario could not be measured; one sentence that says what to do.
struct MeasuringError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
