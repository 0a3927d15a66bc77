internal import ArgumentParser
internal import FoundationEssentials
internal import Maintenance
internal import Server

/// `upmc health`: requests the health status of a running server.
struct HealthCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health", abstract: "Ask the server on this machine whether it serves.",
    discussion: """
      For the health check of a container or a monitor: connects as UPMC_LISTEN says, with TLS and the PROXY protocol \
      where the server expects them. Run it with the server's own variables.

        upmc health
        upmc health --ready

      Exit status 0: it serves (with --ready: it also takes requests). 1: it does not, or does not answer in time.
      """)

  @Flag(help: "Ask /ready instead of /health: whether a load balancer should send requests here.")
  var ready = false

  @Option(help: "Seconds to wait for the answer.")
  var timeout = 3

  @OptionGroup var here: LocalOnly
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard (1...60).contains(timeout) else { throw ValidationError("--timeout takes 1 to 60 seconds.") }
  }

  func run() throws {
    let configuration = try Configuration(environment: ProcessInfo.processInfo.environment)
    let answer = try HealthProbe(configuration).ask(ready ? "/ready" : "/health", within: .seconds(timeout))
    guard answer.status == 200 else {
      throw Refusal(description: "\(answer.url) answers \(answer.status): \(answer.body)")
    }
    Output.line(output.json ? answer.body : "\(answer.url) answers 200.")
  }

  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }
}
