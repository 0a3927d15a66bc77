internal import ArgumentParser
internal import Domain
internal import JSON
internal import Postgres
internal import Reactor
internal import Server

/// Runs a command and turns its result into messages and an exit status.
enum CommandOutcome {
  static let done: Int32 = 0
  static let failed: Int32 = 1
  static let wrongUsage: Int32 = 2

  /// Parses the process's arguments and runs the command they name.
  /// - Returns: the exit status.
  static func run(_ root: any ParsableCommand.Type, _ arguments: [String] = CommandLine.arguments) -> Int32 {
    let printsJSON = arguments.prefix { $0 != "--" }.contains("--json")
    var command: any ParsableCommand
    do {
      command = try root.parseAsRoot()
    } catch {
      return explain(error, of: root, printsJSON)
    }
    if !(command is any StopsInOrder) { Signals.unblock() }
    do {
      try command.run()
      return done
    } catch let error as any Error & CustomStringConvertible where !isForParser(error) {
      complain(error, printsJSON)
      return failed
    } catch {
      return explain(error, of: root, printsJSON)
    }
  }

  private static func complain(_ error: any Error & CustomStringConvertible, _ printsJSON: Bool) {
    guard printsJSON else { return Output.complain("upmc: \(sentence(error))") }
    switch error {
    case let refusal as Refusal: Output.complain(refusal.json.line)
    case let problem as Problem: Output.complain(String(decoding: problem.json(requestID: ""), as: UTF8.self))
    default: Output.complain(object("upmc:failed", sentence(error)).line)
    }
  }

  /// Returns an error in the form of a problem document, for programs.
  private static func object(_ type: String, _ detail: String) -> JSONTree {
    .object([("type", .text(type)), ("detail", .text(detail))])
  }

  /// Prints an error in the arguments, or the requested help. Returns the exit status.
  private static func explain(
    _ error: any Error, of root: any ParsableCommand.Type, _ printsJSON: Bool
  ) -> Int32 {
    let text = root.fullMessage(for: error)
    switch root.exitCode(for: error) {
    case .success:
      Output.line(text)
      return done
    case .validationFailure:
      Output.complain(printsJSON ? object("upmc:wrong-usage", root.message(for: error)).line : text)
      return wrongUsage
    default:
      Output.complain(printsJSON ? object("upmc:failed", root.message(for: error)).line : text)
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
    case let error as PostgresError where error.isConnectionLost: unreachable(error)
    default: error.description
    }
  }

  private static func unreachable(_ error: PostgresError) -> String {
    guard let remedy = DatabaseRefusal.remedy(error) else {
      return "The database cannot be reached (\(error)). Is it running, and is UPMC_DATABASE_URL right?"
    }
    return "The database refuses the connection (\(error)). \(remedy)"
  }

  /// Returns a sentence for the user in which a field is named as options are, without the JSON pointer's slash.
  private static func sentence(_ problem: Problem) -> String {
    guard problem.fields.count == 1, let field = problem.fields.first, field.pointer.first == "/" else {
      return problem.detail
    }
    return "\(field.pointer.dropFirst()) \(field.detail)."
  }
}

/// A command that receives signals itself, because it has something to bring to an end. A signal ends other commands at
/// once, also while they wait for a server, a lock or an answer from the terminal.
protocol StopsInOrder {}

extension Problem: CustomStringConvertible {
  /// The problem's detail, which also states the remedy.
  public var description: String { detail }
}

/// The reason why a command failed, in one sentence.
struct CommandError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
