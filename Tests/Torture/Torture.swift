import ArgumentParser
import Foundation
import Reactor

/// The torture runner: a whole push center on this machine, killed, cut and lied to for as long as one likes, and then
/// called to account.
///
/// ```
///   main      Stage ── starts, kills, freezes ──► PostgreSQL · upmc serve 1 · upmc serve 2
///             Violence ── what happens when, from the seed ──► Stage, Simulator (faults)
///   drive     Driver: an app's devices and its back-office over HTTP, to whichever node answers
///               Registrar · Campaigns · Solos · Rovers · Confirmer ──► Calls ──► nodes
///               Recorder ◄── every push that the simulator accepted
///   sim-apns  Simulator (in this process: its log survives what happens to the rest)
/// ```
///
/// **What is believed.** Only what the simulator really received and what the driver was really answered. The driver is
/// a careful client: it repeats a call until it is answered, and never gives up; so whatever was answered must be there
/// at the end, and whatever was not answered may be there once.
///
/// **What is checked** (the promises' names): I1 one message for each idempotency key. I2 the funnel adds up, asked for
/// all the time. I3 every delivery arrived, more than once only where it was counted, under the same ids. I4 what was
/// confirmed is kept. I5 badges are what sends, reads and sets make of them, exactly for the users of `Solos`. I6 no
/// token is lost that was registered after the network's word. I7 nothing is stranded, memory and descriptors are flat.
/// S7 one short message for each push that nobody confirmed in time, none for the others.
/// A roll call at the end reaches every device exactly once.
///
/// **The seed** decides what happens, to whom and when; how the processes interleave is the machine's.
///
/// **Ending.** After the time is up all faults end and everything that was killed comes back; when all messages are
/// final and all confirmations answered, the account is taken. Exit status 0 only without any violation. Ctrl-C ends
/// the violence early and still takes the account; a second one stops everything at once.
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
    /// Most violations that are told one by one.
    static let tellings = 40
    /// How long an operation of the driver may go without an answer before it counts as never answered.
    static let timeout = Duration.seconds(120)
    /// How long the center may take, after the last fault, until nothing is open: the messages' life and a retry.
    static let quiescence = Duration.seconds(150)
    /// A server that is asked to stop gives its doors 10 s and its dispatcher 10 s; the rest is for a loaded machine.
    static let stop = Duration.seconds(30)
    /// A pause or cancellation holds within a second on an idle machine; here everything is under torture.
    static let stopped = Duration.seconds(3)
    /// A lease lasts 10 s; the rest is for a loaded machine.
    static let lease = Duration.seconds(15)
    /// How often memory and descriptors are looked at.
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

/// What was asked for.
struct Plan: Sendable {
  let violence: Duration
  let seed: UInt64
  let devices: Int
  let nodes: Int
  /// Acts of violence by name; empty for all.
  let only: Set<String>
  /// Seconds that a message lives.
  let life: Int
  let isCalm: Bool
  let keeps: Bool
  /// Nil: /tmp.
  var directory: String?
  /// After so many the violence ends; nil: when its time is over.
  var pushes: Int?
  /// Of what arrives at devices.
  var confirmedShare = 0.9
  /// Campaigns without a badge do too.
  var asksForShortMessages = false

  /// Somebody holds a snapshot all the time, so that nothing that is dead can be cleaned away.
  var holdsSnapshot = false

  /// Where the history goes, in files of so many megabytes; nil: none is written.
  var history: String?
  var historyMegabytes = 256

  /// Clocks are set wrong, for which the servers load a library in front of the system's.
  var shiftsClocks: Bool { Violence.kinds(of: self).contains("wrong-clock") }

  /// PostgreSQL's disk breaks, for which it loads a library in front of the system's.
  var breaksDisk: Bool { Violence.kinds(of: self).contains("break-disk") }

  /// A small disk that was named may be filled: nobody else is in need of it.
  var fillsDisk: Bool { directory.flatMap { Disk($0) }?.isSmall == true }
}
