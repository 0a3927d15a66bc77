import ArgumentParser
import Foundation
import Reactor

/// The torture runner: a complete push center on this machine, killed, cut off and lied to for as long as desired, and
/// then audited.
///
/// ```
///   main      Stage ── starts, kills, freezes ──► PostgreSQL · upmc serve 1 · upmc serve 2
///             Violence ── what happens when, from the seed ──► Stage, Simulator (faults)
///   drive     Driver: an app's devices and its back office over HTTP, to whichever node responds
///               Registrar · Campaigns · Solos · SharedTokens · Confirmer ──► Calls ──► nodes
///               Recorder ◄── every push that the simulator accepted
///   sim-apns  Simulator (in this process: its log survives what happens to the rest)
/// ```
///
/// **What is trusted.** Only what the simulator really received and the answers the driver really got. The driver is a
/// careful client: it repeats a call until it is answered and never gives up. So the effect of every answered call must
/// exist at the end, and that of an unanswered call may exist once.
///
/// **What is checked** (the promises' names): I1 one message for each idempotency key. I2 the funnel adds up at every
/// poll. I3 every delivery arrived, more than once only if it was counted, under the same ids. I4 confirmations are
/// kept. I5 badges follow from sends, reads and sets, exactly for the users of `Solos`. I6 no token is lost that was
/// registered after the network's report. I7 nothing is stranded, memory and descriptors are flat. S7 one SMS for each
/// push not confirmed in time, none for the others. A roll call at the end reaches every device exactly once.
///
/// **The seed** decides what happens, to whom and when; the interleaving of the processes is not reproducible.
///
/// **Ending.** When the time is up all faults end and everything killed is restarted; once all messages are final and
/// all confirmations answered, the audit runs. Exit status 0 only without any violation. Ctrl-C ends the violence early
/// and still runs the audit; a second one stops everything at once.
struct Torture: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Kills and cuts a push center from a seed while it works, then checks what it promised.",
    discussion: """
        make torture ARGS="--minutes 30 --seed 7"
        upmc-torture --minutes 0.5 --devices 500 --json
        upmc-torture --minutes 15 --devices 20000 --sms --confirmed 60 --pushes 1000000
      """)

  /// Numbers of this program: unit, reason.
  enum Limits {
    /// Maximum number of violations reported individually.
    static let tellings = 40
    /// How long a driver's operation may go without an answer before it counts as never answered.
    static let timeout = Duration.seconds(120)
    /// How long the center may take, after the last fault, until nothing is open: the messages' life and a retry.
    static let quiescence = Duration.seconds(150)
    /// A server asked to stop gives its HTTP handlers 10 s and its dispatcher 10 s; the rest is slack for a loaded
    /// machine.
    static let stop = Duration.seconds(30)
    /// A pause or cancellation takes effect within a second on an idle machine; this allows for the torture.
    static let stopped = Duration.seconds(3)
    /// A lease lasts 10 s; the rest is slack for a loaded machine.
    static let lease = Duration.seconds(15)
    /// Sampling interval for memory and descriptors.
    static let sampling = Duration.seconds(1)
  }

  @Option(help: "Minutes of violence; the account comes after.")
  var minutes = 1.0

  @Option(help: "What decides everything that happens.")
  var seed: UInt64 = 1

  @Option(help: "Virtual devices.")
  var devices = 2000

  @Option(help: "Server nodes on the one database, 1 or 2.")
  var nodes = 2

  @Option(help: "Only these acts of violence, by name and separated by commas (see --list); all by default.")
  var only: String?

  @Option(help: "How long a message lives, in seconds.")
  var life = 60

  @Option(help: "Where database and logs lie (/tmp). A file system given here, of 4 GiB at most, is filled too.")
  var directory: String?

  @Option(help: "End the violence when the network has received so many pushes, if that comes first.")
  var pushes: Int?

  @Option(help: "Go on with the violence until this many pushes and receipts, 20 times as long at most.")
  var least: Int?

  @Option(help: "Percent of what arrives that devices confirm.")
  var confirmed = 90

  @Option(help: "Write a history to this file, for `Tests/Judge`.")
  var history: String?

  @Option(help: "A file of the history is put aside when it has so many megabytes; the newest eight of those are kept.")
  var historyMegabytes = 256

  @Flag(help: "All campaigns ask for a short message unless they are confirmed, not only those with badges.")
  var sms = false

  @Flag(help: "Hold one snapshot from the beginning to the end of the violence, as a forgotten session does.")
  var snapshot = false

  @Flag(help: "No violence: what the machine does by itself.")
  var calm = false

  @Flag(help: "Keep the directory with logs and database, and say where it is.")
  var keep = false

  @Flag(help: "Print one JSON object instead of the page.")
  var json = false

  @Flag(help: "List the acts of violence and end.")
  var list = false

  func validate() throws {
    guard minutes > 0, minutes <= 10_000 else { throw ValidationError("--minutes is more than 0") }
    guard devices >= 200 else { throw ValidationError("--devices is at least 200") }
    guard (1...2).contains(nodes) else { throw ValidationError("--nodes is 1 or 2") }
    let disk = Disk(directory ?? "/tmp")
    guard let disk else { throw ValidationError("--directory \(directory ?? "") is not there") }
    guard !chosen.contains("fill-disk") || directory != nil && disk.isSmall else {
      throw ValidationError("fill-disk needs a --directory on a file system of its own, of 4 GiB at most")
    }
    guard (0...100).contains(confirmed) else { throw ValidationError("--confirmed is 0…100") }
    guard (1...100_000).contains(historyMegabytes) else { throw ValidationError("--history-megabytes is 1…100000") }
    guard pushes ?? 1 > 0 else { throw ValidationError("--pushes is more than 0") }
    guard least ?? 1 > 0 else { throw ValidationError("--least is more than 0") }
    guard (5...3600).contains(life) else { throw ValidationError("--life is 5…3600") }
    if let stranger = chosen.first(where: { Violence.kinds[$0] == nil }) {
      throw ValidationError("\(stranger) is no act of violence; --list names them")
    }
  }

  private var chosen: [String] { (only ?? "").split(separator: ",").map(String.init) }

  func run() throws {
    if list {
      for kind in Violence.kinds.keys.sorted() { print(kind) }
      return
    }
    Signals.block()
    var plan = Plan(
      violence: .milliseconds(Int64(minutes * 60_000)), seed: seed, devices: devices, nodes: nodes,
      only: Set(chosen), life: life, isCalm: calm, keeps: keep, directory: directory)
    plan.pushes = pushes
    plan.least = least
    plan.confirmedShare = Double(confirmed) / 100
    plan.asksForShortMessages = sms
    plan.holdsSnapshot = snapshot
    (plan.history, plan.historyMegabytes) = (history, historyMegabytes)
    let run = try Run(plan)
    defer { run.close() }
    let page = try run.page()
    print(json ? try page.json() : page.text)
    if !page.isClean { throw ExitCode.failure }
  }
}

/// The options of a run.
struct Plan: Sendable {
  let violence: Duration
  let seed: UInt64
  let devices: Int
  let nodes: Int
  /// Names of the acts of violence; empty for all.
  let only: Set<String>
  /// Lifetime of a message, in seconds.
  let life: Int
  let isCalm: Bool
  let keeps: Bool
  /// Nil: /tmp.
  var directory: String?
  /// The violence ends after this many pushes; nil: when its time is over.
  var pushes: Int?
  /// The violence goes on after its time until so many pushes were received and receipts answered; nil: it does not.
  var least: Int?
  /// Share of the pushes arriving at devices that are confirmed.
  var confirmedShare = 0.9
  /// Campaigns without a badge request SMS fallbacks too.
  var asksForShortMessages = false

  /// A session holds a snapshot all the time, so that vacuum cannot remove dead rows.
  var holdsSnapshot = false

  /// Path of the history; nil: none is written.
  var history: String?
  var historyMegabytes = 256

  /// Clocks are shifted, for which the servers preload a library.
  var shiftsClocks: Bool { Violence.kinds(of: self).contains("wrong-clock") }

  /// PostgreSQL's disk breaks, for which it preloads a library.
  var breaksDisk: Bool { Violence.kinds(of: self).contains("break-disk") }

  /// A small disk named explicitly may be filled: nothing else needs it.
  var fillsDisk: Bool { directory.flatMap { Disk($0) }?.isSmall == true }
}
