import Foundation
import Postgres
import Reactor
import Simulator
import Time

/// One run, from the first process to the last line. On the main thread.
final class Run {
  private let plan: Plan
  let verdict = Verdict()
  let stage: Stage
  let driver: DriverThread
  private let clock = SystemClock()
  private var violence: Violence
  /// Scheduled actions: restarting what was killed, ending faults.
  private var later: [(due: Instant, isCheck: Bool, action: () throws -> Void)] = []
  private(set) var deeds: [String: Int] = [:]
  /// A wait is in force; one at a time.
  var isWaiting = false
  /// The violence is over.
  private(set) var isResting = false
  private var samples: Samples
  /// A signal requested an early end.
  private(set) var wasInterrupted = false
  /// PostgreSQL is being killed or kept from working; a scheduled action brings it back.
  var isPostgresDown = false
  /// The process id of a stopped database session; nil: none.
  var hungSession: Int32?
  private var snapshot: HeldSnapshot?
  /// Refusals that the network was set to send so far: the only reasons for which an app may be blocked.
  private var answered: Set<String> = []
  private let began: Instant
  private let history: History?
  /// Listens for events if a history records them.
  private let hook: EventSink?

  init(_ plan: Plan) throws {
    self.plan = plan
    began = SystemClock().now
    violence = Violence(plan)
    stage = try Stage(plan)
    history = try plan.history.map { try History(path: $0, megabytes: plan.historyMegabytes) }
    hook = try history.map { try EventSink($0) { _ in 1 } }
    history?.note("run", run: 1, #""what":"torture, seed \#(plan.seed)""#)
    samples = Samples(nodes: plan.nodes)
    let (ports, apiKey, clientKey) = (stage.nodes.map(\.port), stage.apiKey, stage.clientKey)
    let pushes = try Inbox<AcceptedPush>(capacity: 1_000_000)
    let (verdict, history, hook) = (verdict, history, hook?.port)
    driver = try DriverThread(
      { loop in
        try Driver(
          plan, ports: ports, apiKey: apiKey, clientKey: clientKey, verdict: verdict, loop: loop,
          history: history, hook: hook)
      }, pushes: pushes)
    stage.simulator.watch(pushes)
  }

  /// Stops everything that was started. The creator must call this, because scheduled actions retain the run.
  func close() {
    later = []
    driver.stop()
    hook?.stop()
    if plan.keeps { try? Data(verdict.deedLines.utf8).write(to: URL(filePath: stage.directory + "/deeds.log")) }
    stage.close(keeps: plan.keeps)
  }

  /// Performs the whole run.
  func page() throws -> Page {
    for node in stage.nodes { try node.start() }
    Console.say("registering \(plan.devices) devices with \(plan.nodes) node(s); seed \(plan.seed)")
    try driver.ask { $0.prepare() }
    guard try wait(atMost: Torture.Limits.timeout, until: { try driver.ask { $0.isReady } }) else {
      throw Trouble("the devices were not registered in time:\n\(lastLogLines)")
    }
    try driver.ask { $0.begin() }
    try ravage()
    try rest()
    let totals = try account()
    try endHistory()
    return try makePage(totals)
  }

  // MARK: The violence

  private func ravage() throws {
    let start = clock.now
    if plan.holdsSnapshot { snapshot = HeldSnapshot(stage) }
    var next = violence.next()
    var due = clock.now + .milliseconds(next.milliseconds)
    while try clock.now < start + plan.violence || isTooLittle(since: start), !wasInterrupted, try !isEnough() {
      if !plan.isCalm, clock.now >= due {
        try carryOut(next.act)
        next = violence.next()
        due = clock.now + .milliseconds(next.milliseconds)
      }
      try turn(atMost: .milliseconds(20))
    }
    snapshot = nil
    Console.say(wasInterrupted ? "interrupted: taking the account" : "the violence is over")
  }

  private func isEnough() throws -> Bool {
    guard let pushes = plan.pushes else { return false }
    return try driver.ask { $0.recorder.received } >= pushes
  }

  /// A busy machine does little within the time.
  private func isTooLittle(since start: Instant) throws -> Bool {
    guard let least = plan.least, clock.now < start + plan.violence * 20 else { return false }
    guard verdict.looks >= min(least, 100) else { return true }
    return try driver.ask { min($0.recorder.received, $0.confirmer.receiptsAnswered) } < least
  }

  /// Runs everything that goes on besides the violence.
  private func turn(atMost timeout: Duration) throws {
    for index in later.indices.reversed() where later[index].due <= clock.now {
      try later.remove(at: index).action()
    }
    for node in stage.nodes { try look(at: node) }
    samples.take(stage.nodes, at: verdict.seconds)
    try tellProgress()
    guard Signals.wait(atMost: timeout) == .stop else { return }
    if wasInterrupted { throw Trouble("stopped") }
    wasInterrupted = true
  }

  /// A server that exits on its own is a finding; one that was asked to exit is restarted.
  private func look(at node: ServerNode) throws {
    let wasAsked = node.state == .stopping
    guard node.state != .down, let ending = node.ending() else { return }
    let words = node.lastLogLines
    let reason = words.split(separator: "\n").last { $0.hasPrefix("upmc: ") } ?? ""
    if !wasAsked, ending == .exited(1), reason.contains("database") || reason.contains("PostgreSQL") {
      // A start without a database is refused with a clear message; a supervisor would restart the server.
      deeds["starts without database", default: 0] += 1
      return after(500) { if node.state == .down { try node.start() } }
    }
    if !wasAsked {
      verdict.violate("crash", "server \(node.number) ended by itself: \(ending)\n\(words)")
    } else if ending == .killed(signal: SIGTERM), node.seconds < 3 {
      // It had not yet begun to listen for signals.
      deeds["SIGTERM while starting", default: 0] += 1
    } else if ending != .exited(0) {
      verdict.violate("stop", "server \(node.number) was asked to stop and ended \(ending)\n\(words)")
    }
    try node.start()
  }

  /// - Parameter isCheck: the action checks that something was done in time, so it must not run early.
  func after(_ milliseconds: Int, isCheck: Bool = false, _ action: @escaping () throws -> Void) {
    later.append((clock.now + .milliseconds(milliseconds), isCheck, action))
  }

  func count(_ kind: String) { deeds[kind, default: 0] += 1 }

  /// Records an act; `lasting` is how long it disturbs the center, in milliseconds.
  func note(_ kind: String, _ what: String, lasting milliseconds: Int, isKill: Bool = false) throws {
    count(kind)
    verdict.note(what)
    let now = clock.wallTime.microseconds
    let until = now + Int64(milliseconds) * 1000
    history?.note("deed", run: 1, at: now, #""kind":"\#(kind)","until":\#(until)"#)
    try driver.ask { $0.recorder.noteDeed(kind, at: now, until: until, isKill: isKill) }
  }

  private func carryOut(_ act: Violence.Act) throws {
    switch act {
    case .kill(let numbers, let backAfter): try kill(numbers, backAfter)
    case .terminate(let number): try terminate(stage.nodes[number])
    case .freeze(let number, let milliseconds): try freeze(stage.nodes[number], milliseconds)
    case .killPostgres(let backAfter): try killPostgres(backAfter)
    case .fillDisk(let milliseconds): try fillDisk(milliseconds)
    case .breakDisk(let milliseconds): try breakDisk(milliseconds)
    case .forbidWrites(let milliseconds): try forbidWrites(milliseconds)
    case .useUpConnections(let milliseconds): try useUpConnections(milliseconds)
    case .hangSession(let milliseconds): try hangSession(milliseconds)
    case .cutSessions(let count): try cutSessions(count)
    case .faults(let faults, let milliseconds, let name): try misbehave(faults, milliseconds, name)
    case .cutConnections(let way):
      try note("connections cut", "all connections to the network: \(way.rawValue)", lasting: 0)
      stage.simulator.cutConnections(way)
    case .shiftClock(let number, let seconds, let milliseconds):
      try shiftClock(stage.nodes[number], seconds, milliseconds)
    case .backUp(let milliseconds): try backUp(milliseconds)
    case .lockTable(let table, let milliseconds): try lockTable(table, milliseconds)
    case .slowDatabase(let roundTrip, let milliseconds): try slowDown(roundTrip, milliseconds)
    case .vanish(let number, let backAfter): try vanish(stage.nodes[number], backAfter)
    case .outage(let milliseconds):
      try note("network outages", "the network is away for \(milliseconds) ms", lasting: milliseconds)
      stage.simulator.goAway(for: .milliseconds(milliseconds))
    }
  }

  private func kill(_ numbers: [Int], _ backAfter: Int) throws {
    let victims = numbers.map { stage.nodes[$0] }.filter { $0.state == .up || $0.state == .stopping }
    guard !victims.isEmpty else { return }
    let names = victims.map { "server \($0.number)" }.joined(separator: " and ")
    for node in victims { node.kill() }
    let kind = victims.count > 1 ? "kill -9 both servers" : "kill -9 \(names)"
    try note(kind, "kill -9 \(names)", lasting: backAfter, isKill: true)
    after(backAfter) { for node in victims where node.state == .down { try node.start() } }
  }

  private func terminate(_ node: ServerNode) throws {
    guard node.state == .up else { return }
    node.terminate()
    try note("SIGTERM", "SIGTERM to server \(node.number)", lasting: 10_000)
    let identifier = node.identifier
    after(Int(Torture.Limits.stop.components.seconds) * 1000, isCheck: true) { [self] in
      guard node.state == .stopping, node.identifier == identifier else { return }
      verdict.violate("stop", "server \(node.number) did not stop in \(Torture.Limits.stop)\n\(node.lastLogLines)")
      node.kill()
      try node.start()
    }
  }

  private func freeze(_ node: ServerNode, _ milliseconds: Int) throws {
    guard node.state == .up else { return }
    node.freeze()
    try note("frozen servers", "server \(node.number) is frozen for \(milliseconds) ms", lasting: milliseconds)
    after(milliseconds) { if node.state == .frozen { node.thaw() } }
  }

  private func misbehave(_ faults: [Fault], _ milliseconds: Int, _ name: String) throws {
    try note("network faults", "the network: \(name) for \(milliseconds) ms", lasting: milliseconds)
    let simulator = stage.simulator
    answered.formUnion(faults.compactMap(\.reason))
    let names = try faults.map { try simulator.add($0) }
    after(milliseconds) { [self] in
      for name in names { simulator.remove(name) }
      try repair()
    }
  }

  /// Acts as an operator who sees that the app is blocked, finds the reason, and supplies the credential again.
  private func repair() throws {
    guard !isPostgresDown, let connection = try? stage.session(),
      let paused = try? connection.run(
        Statement("torture-paused", "SELECT paused_reason FROM apps WHERE paused_reason IS NOT NULL")),
      paused.count > 0
    else { return }
    let reason = paused.text(0, 0)
    if !answered.contains(where: reason.contains) {
      verdict.violate("I7", "the app is held back though the network never gave cause: \(reason)")
    }
    deeds["apps held back", default: 0] += 1
    verdict.note("an operator gives the credential again")
    try? stage.mendCredential()
  }

  // MARK: Rest and account

  private func rest() throws {
    isResting = true
    stage.simulator.removeFaults()
    let restoring = later.filter { !$0.isCheck }
    later.removeAll { !$0.isCheck }
    for work in restoring { try work.action() }
    for node in stage.nodes {
      if node.state == .frozen { node.thaw() }
      if node.state == .down { try node.start() }
    }
    try stage.restorePostgres()
    try driver.ask { $0.isResting = true }
    try settle("messages and calls")
    // Releases devices quarantined because the network rejected the key for its environment: nothing else does, unless
    // the device registers.
    try stage.mendCredential()
    try callTheRoll()
    try checkLeases()
    try driver.ask { $0.recount() }
    try settle("the last count")
  }

  private func settle(_ what: String) throws {
    if try wait(
      atMost: Torture.Limits.quiescence,
      until: {
        try repair()
        return try driver.ask { $0.isQuiet }
      })
    {
      return
    }
    let open = try driver.ask { driver in
      let messages = driver.open.sorted().prefix(5).map { driver.messages[$0].tally?.text ?? "message \($0)" }
      return "\(driver.open.count) messages, \(driver.calls.open) calls: \(messages.joined(separator: " "))"
    }
    verdict.violate("I7", "\(what) did not come to rest in \(Torture.Limits.quiescence): \(open)\n\(lastLogLines)")
  }

  private func callTheRoll() throws {
    try driver.ask { driver in
      driver.registrar.registerReturning { driver.campaigns.callTheRoll { _ in } }
    }
    // The roll call starts as soon as the last device has registered.
    _ = try wait(atMost: Torture.Limits.timeout) {
      try driver.ask { $0.messages.contains { $0.kind == .rollCall } }
    }
    try settle("the roll call")
  }

  /// Dead nodes hold no lease (I7): all their leases have expired soon after the last kill.
  private func checkLeases() throws {
    let connection = try stage.session()
    let leases = Statement("torture-leases", "SELECT count(*) FROM nodes WHERE alive_until > now()")
    let haveRunOut = try wait(atMost: Torture.Limits.lease) {
      try connection.run(leases).int64(0, 0) <= Int64(plan.nodes)
    }
    if !haveRunOut {
      let count = try connection.run(leases).int64(0, 0)
      verdict.violate("I7", "\(count) leases for \(plan.nodes) living nodes")
    }
  }

  private func account() throws -> Verifier.Totals {
    let url = stage.databaseURL
    let outcome: Result<Verifier.Totals, Trouble> = try driver.ask { driver in
      do {
        return .success(try Verifier(driver, databaseURL: url).run())
      } catch {
        return .failure(Trouble("the account could not be taken: \(error)"))
      }
    }
    let missed = stage.simulator.counters().pushesMissed
    if missed > 0 { throw Trouble("\(missed) pushes were not recorded: the driver was too slow") }
    for objection in samples.objections { verdict.violate("I7", objection) }
    return try outcome.get()
  }

  /// Writes the end at a moment without open calls: a server that resumed late may still finish what ended long before.
  private func endHistory() throws {
    guard let history else { return }
    _ = try wait(atMost: Torture.Limits.quiescence) {
      try driver.ask { driver in
        guard driver.calls.open == 0 else { return false }
        history.note("end", run: 1)
        return true
      }
    }
    try history.close()
  }

  private func makePage(_ totals: Verifier.Totals) throws -> Page {
    let counters = stage.simulator.counters()
    let (deeds, samples, verdict, plan) = (deeds, samples, verdict, plan)
    let seconds = Double((clock.now - began).nanoseconds) / 1e9
    return try driver.ask { driver in
      Page(plan, driver, totals, counters, deeds, samples, verdict, seconds: seconds)
    }
  }

  // MARK: Waiting and telling

  private func wait(atMost timeout: Duration, until condition: () throws -> Bool) throws -> Bool {
    let deadline = clock.now + timeout
    while clock.now < deadline {
      if try condition() { return true }
      try turn(atMost: .milliseconds(50))
    }
    return false
  }

  var lastLogLines: String {
    stage.nodes.map { "server \($0.number):\n\($0.lastLogLines)" }.joined(separator: "\n")
  }

  private var toldAt: Double = 0

  private func tellProgress() throws {
    guard verdict.seconds - toldAt >= 5 else { return }
    toldAt = verdict.seconds
    if let snapshot, !isPostgresDown, !snapshot.isHeld() { count("snapshots taken anew") }
    let line = try driver.ask { driver in
      "received \(driver.recorder.received) (\(driver.recorder.repeated) again), messages \(driver.messages.count) "
        + "(\(driver.open.count) open), receipts \(driver.confirmer.receiptsAnswered), "
        + "reads \(driver.confirmer.readsAnswered), calls \(driver.calls.answered) (\(driver.calls.lost) lost)"
    }
    let violations = verdict.counts.values.reduce(0, +)
    Console.say(
      "\(Int(verdict.seconds)) s: \(line)\(violations > 0 ? ", VIOLATIONS \(violations)" : ""); \(verdict.lastDeed)")
  }
}
