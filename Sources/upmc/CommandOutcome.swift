internal import ArgumentParser
internal import Domain
internal import Postgres

/// How a command ends: its messages and exit status.
enum CommandOutcome {
  static let done: Int32 = 0
  static let failed: Int32 = 1
  static let wrongUsage: Int32 = 2

  /// Parses the process's arguments and runs the command they name.
  /// - Returns: the exit status.
  static func run(_ root: any ParsableCommand.Type) -> Int32 {
    var command: any ParsableCommand
    do {
      command = try root.parseAsRoot()
    } catch {
      return explain(error, of: root)
    }
    do {
      try command.run()
      return done
    } catch let error as any Error & CustomStringConvertible where !isForParser(error) {
      Output.complain("upmc: \(sentence(error))")
      return failed
    } catch {
      return explain(error, of: root)
    }
  }

  /// Prints errors in the arguments, or the help that was asked for. Returns the exit status.
  private static func explain(_ error: any Error, of root: any ParsableCommand.Type) -> Int32 {
    let text = root.fullMessage(for: error)
    switch root.exitCode(for: error) {
    case .success:
      Output.line(text)
      return done
    case .validationFailure:
      Output.complain(text)
      return wrongUsage
    default:
      Output.complain(text)
      return failed
    }
  }

  private static func isForParser(_ error: any Error) -> Bool {
    error is ValidationError || error is CleanExit || error is ExitCode
  }

  /// Returns a sentence for the user that describes the error.
  private static func sentence(_ error: any Error & CustomStringConvertible) -> String {
    switch error {
    case let problem as Problem: sentence(problem)
    case let error as PostgresError where error.isConnectionLost:
      "The database cannot be reached (\(error)). Is it running, and is UPMC_DATABASE_URL right?"
    default: error.description
    }
  }

  /// Returns a sentence for the user that names a field as the options do, without a JSON pointer's slash.
  private static func sentence(_ problem: Problem) -> String {
    guard problem.fields.count == 1, let field = problem.fields.first, field.pointer.first == "/" else {
      return problem.detail
    }
    return "\(field.pointer.dropFirst()) \(field.detail)."
  }
}

extension Problem: CustomStringConvertible {
  /// The detail, which also says what to do.
  public var description: String { detail }
}
