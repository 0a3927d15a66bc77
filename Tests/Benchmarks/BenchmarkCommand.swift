internal import ArgumentParser

/// Measures UPMC against its peers on this machine, each pair of figures in the same run.
///
/// ```
///   upmc-benchmark H1 ──► Scenario ──► PairedRuns: ours, peer, ours, peer, …  ──► Outcome ──► table or JSON
///                            │               │
///                            │ starts        │ runs
///                            ▼               ▼
///            ours: serve · sink · push   Wrk, h2load, …   ProcessTree (CPU seconds, memory)
///            peer: nginx · aioapns …
/// ```
///
/// **What counts.** Figures of one machine vary by a third from day to day, so only ratios of neighbouring runs are
/// compared: the median over at least five pairs. Every server is a separate process, which separates its CPU time from
/// the load generator's.
///
/// **Failure.** If a peer is missing, a response is an error or a run does not end, the scenario fails with the reason
/// in its outcome, and the program exits with 1. A target measured and missed is reported (`met` is false); it is not a
/// failure of the measurement.
@main
struct BenchmarkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upmc-benchmark",
    abstract: "Measures UPMC against its peers on this machine.",
    discussion: """
      Without names it runs every scenario. Peers and the load generator are Debian packages and one Python package;
      `make bench` installs them.

        upmc-benchmark H1 P1 --json
      """,
    subcommands: [
      MeasureCommand.self, ReceiveCommand.self, SinkCommand.self, PushCommand.self,
      CenterCommand.self, AdminCommand.self,
    ],
    defaultSubcommand: MeasureCommand.self)

  /// Numbers of this program: unit, reason.
  enum Limits {
    /// Minimum pairs of runs: a median of fewer says little on a shared machine.
    static let leastPairs = 5
    /// How long a started program may take until it accepts connections.
    static let startUp = Duration.seconds(15)
    /// Time a load generator gets beyond the seconds it was asked to run.
    static let grace = Duration.seconds(30)
    /// Tokens, devices and requests that a load generator rotates over, so that no server profits from a one-entry
    /// cache.
    static let rotation = 4096
  }
}
