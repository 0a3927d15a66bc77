internal import ArgumentParser
internal import Domain
internal import Postgres

/// How a command ends: what is said where, and the exit status.
enum CommandOutcome {
  static let done: Int32 = 0
  static let failed: Int32 = 1
  static let wrongUsage: Int32 = 2

  /// Parses the arguments of this process and runs the command they name.
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

  /// Errors of the arguments, and requests for help.
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

  /// What went wrong, for a person.
  private static func sentence(_ error: any Error & CustomStringConvertible) -> String {
    switch error {
    case let problem as Problem: sentence(problem)
    case let error as PostgresError where error.isConnectionLost:
      "The database cannot be reached (\(error)). Is it running, and is UPMC_DATABASE_URL right?"
    default: error.description
    }
  }

  /// Names a field as options do: without the slash of a JSON pointer.
  private static func sentence(_ problem: Problem) -> String {
    guard problem.fields.count == 1, let field = problem.fields.first, field.pointer.first == "/" else {
      return problem.detail
    }
    return "\(field.pointer.dropFirst()) \(field.detail)."
  }
}

extension Problem: CustomStringConvertible {
  /// What to do about it.
  public var description: String { detail }
}
