internal import ArgumentParser
internal import Glibc
internal import Reactor

/// Asks a person before something that reaches many, or that cannot be taken back. A program is not asked.
struct Confirmation: ParsableArguments {
  /// Devices that are reached without a question: what a slip of the hand may cost.
  static let devices: Int64 = 100

  @Flag(
    help:
      "Do not ask, on a terminal, before what reaches more than \(Confirmation.devices) devices or cannot be taken back."
  )
  var yes = false

  /// Whether somebody sits before the command who can be asked.
  var canAsk: Bool { !yes && isatty(STDIN_FILENO) == 1 && StandardError.isTerminal }

  /// - Parameter question: a sentence that says what would happen.
  /// - Throws: `CommandError` unless it is confirmed.
  func ask(_ question: String) throws {
    guard canAsk else { return }
    StandardError.write(Array("\(question) Go on? [y/N] ".utf8))
    let answer = readLine()?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else { throw CommandError("Nothing was done.") }
  }

  /// Asks before a message that reaches more devices than a slip may.
  /// - Parameter targeted: nil for more than are counted at once.
  func ask(devices targeted: Int64?, of what: String) throws {
    guard canAsk, targeted.map({ $0 > Self.devices }) ?? true else { return }
    try ask("\(what) reaches \(targeted.map { "\($0)" } ?? "more than a million") devices.")
  }
}
