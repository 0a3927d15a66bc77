internal import ArgumentParser
internal import Maintenance
internal import FoundationEssentials
internal import Operations

/// `upmc doctor`: checks the configuration, the database and the push networks.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find what is wrong with a set-up, and how to fix it.",
    discussion: """
      Looks at the configuration, this machine, the database, the master key, each app and its credentials, and asks \
      Apple and Google whether they take them, by a push to a token that nobody has. Compares broadcast channels with \
      Apple's list, and asks the collector of spans by an empty export. Changes nothing; safe beside a running server, and best run with the server's own variables, user \
      and machine.

        upmc doctor
        upmc doctor --invariants
        upmc doctor --json | jq 'select(.severity != "ok")'

      Exit status 0: nothing keeps UPMC from its work (warnings may be there). 1: something does.
      """)

  @Flag(help: "Leave out what is well.")
  var quiet = false

  @Flag(help: "Check the promises about messages and counts too. Reads every delivery.")
  var invariants = false

  @OptionGroup var here: LocalOnly
  @OptionGroup var output: OutputOptions

  func run() throws {
    let (quiet, output) = (quiet, output)
    let doctor = Doctor(checksInvariants: invariants) { finding in
      if !quiet || finding.severity != .ok { output.show(finding, Self.sentence(finding)) }
    }
    doctor.examine(environment: ProcessInfo.processInfo.environment)
    guard doctor.failures == 0 else {
      throw Ailing(description: "\(doctor.failures) failures and \(doctor.warnings) warnings: see above.")
    }
    if !output.json { Output.line("Nothing keeps UPMC from its work; \(doctor.warnings) warnings.") }
  }

  private static func sentence(_ finding: Finding) -> String {
    let mark = finding.severity == .ok ? "ok     " : finding.severity == .warning ? "WARNING" : "FAILURE"
    let line = "\(mark)  \(finding.subject) (\(finding.place)): \(finding.what)"
    return finding.remedy.isEmpty ? line : "\(line)\n         → \(finding.remedy)"
  }

  /// Thrown when a check has failed.
  private struct Ailing: Error, CustomStringConvertible {
    let description: String
  }
}
