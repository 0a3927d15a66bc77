internal import ArgumentParser
internal import Domain
internal import Operations
internal import Reactor

/// `upmc status`.
struct Status: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the progress of a message, or the newest messages.",
    discussion: """
      targeted = pending + accepted + rejected + expired + cancelled + skipped, always. accepted: Apple has taken it; \
      received and read: the device said so. --follow prints a line whenever a number changes, until all is decided.

        upmc status 104 --follow
        upmc status --json
      """)

  @Argument(help: "The message's number; without: the newest messages.")
  var seqno: Int64?

  @Flag(help: "Go on until every delivery is decided.")
  var follow = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !follow || seqno != nil else { throw ValidationError("--follow needs a SEQNO.") }
  }

  func run() throws {
    try withDatabase { database in
      guard let seqno else {
        for answer in try Reporting.recent(for: .commandLine, on: database.connection) { show(answer) }
        return
      }
      let wakeup = try Wakeup()
      var last: Funnel?
      while true {
        let answer = try Reporting.funnel(seqno, for: .commandLine, on: database.connection)
        if answer.funnel != last { show(answer) }
        last = answer.funnel
        guard follow, !answer.funnel.state.isFinal else { return }
        _ = wakeup.wait(atMost: Self.pause)
      }
    }
  }

  /// Between two looks at a message that is followed.
  private static let pause: Duration = .milliseconds(200)

  private func show(_ answer: Reporting.FunnelAnswer) {
    output.show(answer, Self.sentence(answer.funnel))
  }

  static func sentence(_ funnel: Funnel) -> String {
    let decided: [(String, Int64)] = [
      ("rejected", funnel.rejected), ("expired", funnel.expired), ("cancelled", funnel.cancelled),
      ("skipped", funnel.skipped), ("unknown", funnel.unknown), ("resent", funnel.resent),
    ]
    let rare = decided.filter { $0.1 > 0 }.map { "  \($0.0) \($0.1)" }.joined()
    let targeted = funnel.targeted.map { String($0) } ?? "?"
    let pending = funnel.pending.map { String($0) } ?? "?"
    let why = funnel.stateReason.map { "  (\($0))" } ?? ""
    return """
      \(funnel.seqno)  \(funnel.state.name)  targeted \(targeted)  pending \(pending)  accepted \(funnel.accepted)  \
      received \(funnel.received)  read \(funnel.read)\(rare)\(why)
      """
  }
}
