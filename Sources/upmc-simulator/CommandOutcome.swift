internal import ArgumentParser
internal import Glibc
internal import Reactor

/// How the program ends: 0 done, 1 failed, 2 wrong usage.
enum CommandOutcome {
  /// Something outside went wrong: an address that is taken, a file that cannot be written.
  struct Failure: Error {
    let reason: String
  }

  /// Parses the arguments of this process and runs until told to end.
  static func run() -> Int32 {
    do {
      let command = try SimulatorCommand.parse()
      try command.run()
      return 0
    } catch let failure as Failure {
      StandardError.write(Array("upmc-simulator: \(failure.reason)\n".utf8))
      return 1
    } catch {
      return explain(error)
    }
  }

  private static func explain(_ error: any Error) -> Int32 {
    let text = SimulatorCommand.fullMessage(for: error)
    switch SimulatorCommand.exitCode(for: error) {
    case .success:
      print(text)
      return 0
    case .validationFailure:
      StandardError.write(Array("\(text)\n".utf8))
      return 2
    default:
      StandardError.write(Array("\(text)\n".utf8))
      return 1
    }
  }
}
