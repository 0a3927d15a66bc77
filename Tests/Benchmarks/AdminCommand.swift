internal import ArgumentParser
internal import FoundationEssentials
internal import HTTPClient
internal import Reactor

/// `upmc-benchmark admin`: how long the admin API's lists and statistics take over a large database.
struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "Ask for every list and statistic over a large database.",
    discussion: """
      Makes a private PostgreSQL with so many devices and messages, starts a server, and asks for the first page, a page \
      in the middle and what is searched for. Each must be answered in under 100 ms.

        upmc-benchmark admin --device-thousands 10000 --message-thousands 100
      """)

  @Option(help: "Thousand devices, each with a user.")
  var deviceThousands = 1000

  @Option(help: "Thousand messages.")
  var messageThousands = 100

  @Option(help: "Times that each is asked for; the slowest counts.")
  var calls = 20

  @Flag(help: "Print one JSON object instead of a table.")
  var json = false

  /// A page of the console waits no longer for one answer.
  private static let limitMilliseconds = 100.0

  func validate() throws {
    guard (1...20_000).contains(deviceThousands) else { throw ValidationError("--device-thousands is 1…20000") }
    guard (1...10_000).contains(messageThousands) else { throw ValidationError("--message-thousands is 1…10000") }
    guard (2...1000).contains(calls) else { throw ValidationError("--calls is 2…1000") }
  }

  func run() throws {
    let program = URL(filePath: CommandLine.arguments[0]).path
    let (devices, messages) = (deviceThousands * 1000, messageThousands * 1000)
    let plan = Plan(
      pairs: 1, seconds: 1, storedReceipts: 0, campaignDevices: 0, growthDevices: 0, finishedMessages: 0, heldSends: 0,
      peers: "",
      program: program)
    try Interruption.watch()
    let stage = try ListStage(plan, devices: devices, messages: messages)
    defer { stage.close() }
    var outcome = Outcome(scenario: "admin")
    outcome.circumstances = [("devices", "\(devices)"), ("messages", "\(messages)"), ("calls of each", "\(calls)")]
    let client = try HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: stage.port))
    for path in Self.paths(stage) {
      try Interruption.check()
      let times = try (0...calls).map { _ in try Self.ask(path, stage, client) }.dropFirst()
      outcome.requirements.append(
        Requirement(
          label: path, unit: "ms", value: times.max() ?? 0, side: .atMost, limit: Self.limitMilliseconds))
    }
    print(json ? outcome.json : outcome.table)
    if !outcome.isMet { throw ExitCode.failure }
  }

  /// Milliseconds of one call.
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
    let (seqno, user) = (stage.message, stage.user)
    return [
      "messages?\(app)", "messages?\(app)&cursor=\(seqno)", "messages?\(app)&state=sending",
      "messages?\(app)&lane=bulk",
      "messages/\(seqno)", "messages/\(seqno)/deliveries", "messages/\(seqno)/deliveries?status=rejected",
      "messages/\(seqno)/failures", "messages/\(seqno)/failures?reason=Unregistered",
      "messages/\(seqno)/users/\(user)/explain", "users?\(app)", "users?\(app)&prefix=\(user.dropLast())",
      "users?\(app)&cursor=\(user)", "users/\(user)?\(app)", "devices?\(app)", "devices?\(app)&clientUid=\(user)",
      "devices?\(app)&psid=\(stage.token)", "groups?\(app)", "groups/1/members", "quarantine?\(app)", "audit",
      "audit?\(app)&action=app", "audit?actor=nobody", "statistics?by=minute", "statistics?\(app)&by=hour&per=lane",
      "statistics?\(app)&by=day&per=appVersion", "statistics?by=day&per=app", "apps", "api-keys", "accounts",
      "credentials", "segments?\(app)", "templates?\(app)", "drafts?\(app)", "senders?\(app)", "approvals",
      "imports?\(app)",
    ]
  }
}
