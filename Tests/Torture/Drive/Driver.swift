import Domain
import Reactor
import Simulator
import Synchronization
import Time

/// The app's devices and its back office: everything that calls the center or receives from the network. It lives on
/// the thread `drive`, on one event loop; the main thread queries it.
final class Driver {
  let loop: EventLoop
  let calls: Calls
  let verdict: Verdict
  let plan: Plan
  let apiKey: String
  let clientKey: String
  /// Nil unless requested.
  let history: History?
  /// Port of the event listener; nil: none.
  private let hook: UInt16?
  var cast: Cast
  var dice: SplitMix64
  /// Indexed by number, in the order of the requests.
  private(set) var messages: [Message] = []
  /// Messages not yet known to be final.
  private(set) var open: Set<Int> = []
  /// While true the driver starts nothing new.
  var isResting = true
  private(set) var group: String?
  private let clock = SystemClock()

  private(set) lazy var registrar = Registrar(self)
  private(set) lazy var recorder = Recorder(self)
  private(set) lazy var confirmer = Confirmer(self)
  private(set) lazy var campaigns = Campaigns(self)
  private(set) lazy var solos = Solos(self)
  private(set) lazy var operators = Operators(self)
  private(set) lazy var sharedTokens = SharedTokens(self)

  init(
    _ plan: Plan, ports: [UInt16], apiKey: String, clientKey: String, verdict: Verdict, loop: EventLoop,
    history: History? = nil, hook: UInt16? = nil
  ) throws {
    self.plan = plan
    self.history = history
    self.hook = hook
    self.loop = loop
    self.apiKey = apiKey
    self.clientKey = clientKey
    self.verdict = verdict
    cast = Cast(count: plan.devices, seed: plan.seed)
    dice = SplitMix64(seed: plan.seed &+ 17)
    calls = try Calls(ports: ports, loop: loop, seed: plan.seed &+ 18, history: history)
  }

  /// Microseconds since 1970.
  var now: Int64 { clock.wallTime.microseconds }

  // MARK: Beginning and resting

  /// Registers all devices; then `isReady`.
  func prepare() {
    if let hook {
      let body =
        #"{"appId":"\#(Stage.appID)","url":"http://127.0.0.1:\#(hook)/","#
        + #""kinds":["sms.requested","message.finished","message.reopened"]}"#
      calls.send("POST", "/v1/admin/webhooks", bearer: apiKey, body) { [self] reply in
        if !(200..<300).contains(reply.status) {
          verdict.violate("setup", "the webhook was not made: \(reply.status) \(reply.text)")
        }
      }
    }
    let body = #"{"appId":"\#(Stage.appID)","name":"ledger"}"#
    calls.send("POST", "/v1/admin/groups", bearer: apiKey, body) { [self] reply in
      // On a slow machine the first answer may be lost and the call repeated: the group is there.
      if reply.status == 409 { return findGroup() }
      register(into: reply.string("groupSeq"), reply)
    }
  }

  private func findGroup() {
    calls.send("GET", "/v1/admin/groups?appId=\(Stage.appID)", bearer: apiKey) { [self] reply in
      let groups = reply.object["items"] as? [[String: Any]] ?? []
      register(into: groups.first { $0["name"] as? String == "ledger" }?["groupSeq"] as? String, reply)
    }
  }

  private func register(into group: String?, _ reply: Reply) {
    self.group = group
    if group == nil { verdict.violate("setup", "the group was not made: \(reply.status) \(reply.text)") }
    registrar.registerAll()
  }

  var isReady: Bool { group != nil && registrar.isComplete }

  func begin() {
    isResting = false
    registrar.begin()
    campaigns.begin()
    solos.begin()
    sharedTokens.begin()
  }

  /// True when nothing is open: every message final, every call answered, every confirmation sent.
  var isQuiet: Bool { isResting && open.isEmpty && calls.open == 0 && confirmer.isIdle }

  // MARK: Sending

  /// Sends a message and follows it until it is final.
  /// - Parameters:
  ///   - fields: JSON members besides app, audience and life, each with a leading comma.
  ///   - life: in seconds; nil for the run's.
  ///   - completion: called once the center reports it final.
  @discardableResult
  func send(
    _ kind: Message.Kind, _ audience: String, _ fields: String, life: Int? = nil, recipients: Set<Int>? = nil,
    badge: Message.Badge? = nil, completion: ((Message) -> Void)? = nil
  ) -> Message {
    let number = messages.count
    let body = """
      {"appId":"\(Stage.appID)","audience":\(audience),"alert":{"title":"T","body":"Message \(number)"},\
      "expiresIn":"PT\(life ?? plan.life)S","data":{"m":\(number)}\(fields)}
      """
    let message = Message(
      number: number, kind: kind, body: body, askedAt: now, recipients: recipients, badge: badge)
    messages.append(message)
    open.insert(number)
    calls.send("POST", "/v1/admin/messages", bearer: apiKey, key: message.key, body) { [self] reply in
      take(reply, message)
      // A careful back office occasionally repeats even an answered call.
      if dice.roll(0.05) {
        calls.send("POST", "/v1/admin/messages", bearer: apiKey, key: message.key, body) { [self] in take($0, message) }
      }
      if message.seqno != nil {
        follow(message, completion)
        if kind == .campaign { operators.take(message) }
      }
    }
    return message
  }

  private func take(_ reply: Reply, _ message: Message) {
    guard reply.status == 202, let seqno = reply.string("seqno").flatMap({ Seqno($0) }) else {
      open.remove(message.number)
      return verdict.violate("I1", "message \(message.number) was refused: \(reply.status) \(reply.text)")
    }
    message.isAnswered = true
    if let known = message.seqno, known != seqno {
      verdict.violate("I1", "key \(message.key) made two messages: \(known) and \(seqno)")
    }
    message.seqno = seqno
  }

  /// Reads all numbers once more: those of final messages must not have changed, except that a server that resumed late
  /// may have counted further submissions.
  func recount() {
    for message in messages {
      guard let seqno = message.seqno, let before = message.tally, before.isSettled else { continue }
      calls.send("GET", "/v1/admin/messages/\(seqno)", bearer: apiKey) { [self] reply in
        guard let tally = Tally(reply), tally.isSameEnd(as: before), tally.objection == nil else {
          return verdict.violate("I2", "message \(seqno) moved after it was final: \(before.text), then \(reply.text)")
        }
        message.tally = tally
      }
    }
  }

  /// Polls the numbers until they are final, and checks them each time (I2).
  private func follow(_ message: Message, _ completion: ((Message) -> Void)?) {
    guard let seqno = message.seqno else { return }
    calls.send("GET", "/v1/admin/messages/\(seqno)", bearer: apiKey) { [self] reply in
      verdict.look()
      guard let tally = Tally(reply) else {
        open.remove(message.number)
        return verdict.violate("I2", "message \(seqno) has no numbers: \(reply.status) \(reply.text)")
      }
      if let objection = tally.objection {
        verdict.violate("I2", "message \(seqno) (\(message.kind)): \(objection): \(tally.text)")
      }
      message.tally = tally
      if tally.isSettled {
        open.remove(message.number)
        completion?(message)
      } else {
        loop.schedule(after: .milliseconds(message.kind == .urgent ? 60 : 150)) { [self] in
          follow(message, completion)
        }
      }
    }
  }
}

/// Access to the driver from other threads.
final class DriverThread: Sendable {
  typealias Question = @Sendable (Driver) -> Void

  private let questions: Inbox<Question>
  private let thread: Mutex<Thread?>

  /// Starts the driver's thread; `pushes` receives what the simulator accepts.
  init(
    _ make: @escaping @Sendable (EventLoop) throws -> Driver, pushes: Inbox<AcceptedPush>
  ) throws {
    let questions = try Inbox<Question>(capacity: 1024)
    let started = try Inbox<String?>(capacity: 1)
    let thread = try Thread(name: "drive") {
      do {
        let loop = try EventLoop()
        let driver = try make(loop)
        try loop.attach(questions) { batch in for question in batch { question(driver) } }
        try loop.attach(pushes) { batch in for push in batch { driver.recorder.take(push) } }
        _ = started.offer(nil)
        loop.run()
        driver.calls.close()
      } catch {
        _ = started.offer("\(error)")
      }
    }
    self.questions = questions
    self.thread = Mutex(thread)
    if let failure = started.receive(atMost: .seconds(10)).first ?? "it did not begin" {
      throw Trouble("the driver cannot start: \(failure)")
    }
  }

  /// Runs a query on the driver's thread and waits for the result.
  func ask<Answer: Sendable>(_ question: @escaping @Sendable (Driver) -> Answer) throws -> Answer {
    let reply = try Inbox<Answer>(capacity: 1)
    guard questions.offer({ _ = reply.offer(question($0)) }) else { throw Trouble("the driver has ended") }
    guard let answer = reply.receive(atMost: .seconds(600)).first else { throw Trouble("the driver does not answer") }
    return answer
  }

  func stop() {
    _ = questions.offer { $0.loop.stop() }
    Thread.joinOnce(thread)
  }
}
