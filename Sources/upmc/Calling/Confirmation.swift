internal import ArgumentParser
internal import Glibc
internal import Reactor

/// Asks for confirmation before an action that reaches many people or is irreversible. Scripts are not asked.
struct Confirmation: ParsableArguments {
  /// Maximum number of devices that a command reaches without confirmation.
  static let devices: Int64 = 100

  @Flag(
    help:
      "Do not ask, on a terminal, before what reaches more than \(Confirmation.devices) devices or cannot be taken back."
  )
  var yes = false

  /// True if the command may ask: input and error output are terminals and `--yes` is not set.
  var canAsk: Bool { !yes && isatty(STDIN_FILENO) == 1 && StandardError.isTerminal }

  /// Asks the user to confirm; returns at once, without asking, if `canAsk` is false.
  /// - Parameter question: a sentence that states the consequence.
  /// - Throws: `CommandError` unless the user answers "y" or "yes".
  func ask(_ question: String) throws {
    guard canAsk else { return }
    StandardError.write(Array("\(question) Go on? [y/N] ".utf8))
    let answer = readLine()?.lowercased() ?? ""
    guard answer == "y" || answer == "yes" else { throw CommandError("Nothing was done.") }
  }

  /// Asks for confirmation if `what` reaches more than `devices` devices.
  /// - Parameter targeted: number of devices; nil if there are too many to count.
  func ask(devices targeted: Int64?, of what: String) throws {
    guard canAsk, targeted.map({ $0 > Self.devices }) ?? true else { return }
    try ask("\(what) reaches \(targeted.map { "\($0)" } ?? "more than a million") devices.")
  }
}
