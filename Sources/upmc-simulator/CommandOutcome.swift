internal import ArgumentParser
internal import Glibc
internal import Reactor

/// Runs the command and maps its result to the exit status: 0 success, 1 failure, 2 usage error.
enum CommandOutcome {
  /// A failure of the environment, such as an address in use or an unwritable file.
  struct Failure: Error {
    let reason: String
  }

  /// Parses the process's arguments and runs until a signal stops the process. Returns the exit status.
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
