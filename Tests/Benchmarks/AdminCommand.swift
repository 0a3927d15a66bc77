internal import ArgumentParser
internal import FoundationEssentials
internal import HTTPClient
internal import Operations
internal import Postgres
internal import Reactor

/// `upmc-benchmark admin`: response times of the admin API's lists and statistics over a large database.
struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Ask for every list and statistic over a large database.",
    discussion: """
      Makes a private PostgreSQL with so many devices and messages, starts a server, and asks for the first page, a page \
      in the middle and what is searched for. Each must be answered in under 100 ms. Then a person is erased.

        upmc-benchmark admin --device-thousands 10000 --message-thousands 100
        upmc-benchmark admin --delivery-millions 100
      """)

  @Option(help: "Thousand devices, each with a user.")
  var deviceThousands = 1000

  @Option(help: "Thousand messages.")
  var messageThousands = 100

  @Option(help: "Million deliveries, of campaigns to all devices; one campaign at least.")
  var deliveryMillions = 0

  @Option(help: "Times that each is asked for; the slowest counts.")
  var calls = 20

  @Flag(help: "Print one JSON object instead of a table.")
  var json = false

  /// A page of the console waits at most this long for one response.
  private static let limitMilliseconds = 100.0
  /// Disk space for a million deliveries, including the write-ahead log of their creation.
  private static let megabytesPerMillion = 400
  private static let erasureMinutes = 30

  func validate() throws {
    guard (1...20_000).contains(deviceThousands) else { throw ValidationError("--device-thousands is 1…20000") }
    guard (1...10_000).contains(messageThousands) else { throw ValidationError("--message-thousands is 1…10000") }
    guard (0...1000).contains(deliveryMillions) else { throw ValidationError("--delivery-millions is 0…1000") }
    guard campaigns <= messageThousands * 500 else {
      throw ValidationError(
        "\(deliveryMillions) million deliveries to \(deviceThousands) thousand devices are more campaigns than half of the "
          + "messages")
    }
    guard (2...1000).contains(calls) else { throw ValidationError("--calls is 2…1000") }
  }

  private var campaigns: Int { max(1, deliveryMillions * 1000 / deviceThousands) }

  func run() throws {
    let directory = FileManager.default.temporaryDirectory.path
    let (needed, free) = (deliveryMillions * Self.megabytesPerMillion << 20, FileStatus.freeBytes(at: directory) ?? 0)
    guard free >= needed else {
      throw MeasuringError(
        "\(directory) has \(free >> 30) GB free, and this needs \(needed >> 30): free some, set TMPDIR to a larger disk, or "
          + "measure with fewer deliveries (--delivery-millions)")
    }
    let program = URL(filePath: CommandLine.arguments[0]).path
    let (devices, messages) = (deviceThousands * 1000, messageThousands * 1000)
    let plan = Plan(
      pairs: 1, seconds: 1, storedReceipts: 0, campaignDevices: 0, growthDevices: 0, finishedMessages: 0, heldSends: 0,
      peers: "",
      program: program)
    try Interruption.watch()
    let stage = try ListStage(plan, devices: devices, messages: messages, campaigns: campaigns)
    defer { stage.close() }
    var outcome = Outcome(scenario: "admin")
    outcome.circumstances = [
      ("devices", "\(devices)"), ("messages", "\(messages)"), ("deliveries of campaigns", "\(campaigns * devices)"),
      ("calls of each", "\(calls)"),
    ]
    let client = try HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: stage.port))
    for path in Self.paths(stage) {
      try Interruption.check()
      let times = try (0...calls).map { _ in try Self.ask(path, stage, client) }.dropFirst()
      outcome.requirements.append(
        Requirement(
          label: path, unit: "ms", value: times.max() ?? 0, side: .atMost, limit: Self.limitMilliseconds))
    }
    try Self.erase(stage, client, &outcome)
    print(json ? outcome.json : outcome.table)
    if !outcome.isMet { throw ExitCode.failure }
  }

  /// Measures the response time, and the time until the name is erased everywhere.
  private static func erase(_ stage: ListStage, _ client: HTTPClient.Blocking, _ outcome: inout Outcome) throws {
    let (clock, pause) = (SystemClock(), try Wakeup())
    let begun = clock.now
    let path = "/v1/admin/users/\(stage.user)?appId=\(ListStage.appID)"
    let answer = try client.send(
      HTTPRequest("DELETE", path, headers: [("Authorization", "Bearer \(stage.apiKey)")]))
    guard (200..<300).contains(answer.status) else { throw MeasuringError("\(path): \(answer.status) \(answer.text)") }
    outcome.requirements.append(
      Requirement(
        label: "DELETE \(path.dropFirst(10))", unit: "ms", value: (clock.now - begun) / .milliseconds(1), side: .atMost,
        limit: limitMilliseconds))
    while try stage.erasures() > 0 {
      try Interruption.check()
      guard clock.now - begun < .seconds(60 * erasureMinutes) else { throw MeasuringError("the erasure does not end") }
      _ = pause.wait(atMost: .milliseconds(200))
    }
    outcome.circumstances.append(
      ("seconds until an erased name stands nowhere", Outcome.number((clock.now - begun) / .seconds(1))))
  }

  /// Duration of one call, in milliseconds.
  private static func ask(_ path: String, _ stage: ListStage, _ client: HTTPClient.Blocking) throws -> Double {
    let clock = SystemClock()
    let begun = clock.now
    let answer = try client.send(
      HTTPRequest("GET", "/v1/admin/\(path)", headers: [("Authorization", "Bearer \(stage.apiKey)")]))
    guard answer.status == 200 else { throw MeasuringError("\(path): \(answer.status) \(answer.text)") }
    return (clock.now - begun) / .milliseconds(1)
  }

  private static func paths(_ stage: ListStage) -> [String] {
    let app = "appId=\(ListStage.appID)"
    let (seqno, user) = ("\(stage.message)", stage.user)
    return [
      "messages?\(app)", "messages?\(app)&cursor=\(PageRequest.cursor(behind: seqno))", "messages?\(app)&state=sending",
      "messages?\(app)&lane=bulk",
      "messages/\(seqno)", "messages/\(seqno)/deliveries", "messages/\(seqno)/deliveries?status=rejected",
      "messages/\(seqno)/failures", "messages/\(seqno)/failures?reason=Unregistered",
      "messages/\(seqno)/users/\(user)/explain", "users?\(app)", "users?\(app)&prefix=\(user.dropLast())",
      "users?\(app)&cursor=\(PageRequest.cursor(behind: user))", "users/\(user)?\(app)",
      "users/\(user)/messages?\(app)",
      "devices?\(app)", "devices?\(app)&clientUid=\(user)",
      "devices?\(app)&psid=\(stage.token)", "groups?\(app)", "groups/1/members", "quarantine?\(app)", "audit",
      "audit?\(app)&action=app", "audit?actor=nobody", "statistics?by=minute", "statistics?\(app)&by=hour&per=lane",
      "statistics?\(app)&by=day&per=appVersion", "statistics?by=day&per=app", "apps", "api-keys", "accounts",
      "credentials", "segments?\(app)", "templates?\(app)", "drafts?\(app)", "senders?\(app)", "approvals",
      "imports?\(app)",
    ]
  }
}
