internal import HTTPClient
internal import Operations
internal import Reactor

/// B1: how long one request can occupy a thread, measured as the cost of the worst known bodies to HTTP loops and admin
/// threads.
///
/// `BodyWorkTests` proves that the cost grows linearly with the length, not quadratically; this scenario measures
/// milliseconds.
struct BodyWork: Scenario {
  let name = "B1"
  let summary = "processor time of one request per MB of its body, for the worst bodies known"

  private enum Limits {
    /// Milliseconds of a loop or an admin thread per MB.
    static let perMegabyte = 25.0
    /// Milliseconds per MB of a file: a MB may hold a million lines, each parsed separately.
    static let perMegabyteOfFile = 120.0
    /// Maximum body an admin may send, in bytes; those of devices are as long as their calls allow.
    static let adminBytes = 1_000_000
    static let formBytes = 65_000
  }

  func measure(_ plan: Plan) throws -> Outcome {
    let stage = try CampaignStage(plan, devices: 1)
    defer { stage.close() }
    let center = try stage.startOurs()
    defer { center.stop() }
    _ = try center.isReady(within: .seconds(10))
    let client = try HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: center.program.port))
    let threads = try ThreadTimes(of: center.program.tree.root, named: ["http-", "admin-0", "admin-1"])
    var outcome = Outcome(scenario: name)
    for worst in Self.bodies(apiKey: stage.apiKey) {
      try Interruption.check()
      var best = Double.infinity
      for _ in 0..<plan.pairs {
        let before = try threads.milliseconds()
        _ = try client.send(worst.request)
        best = min(best, try threads.milliseconds() - before)
      }
      let cost = best / Double(worst.request.body.count) * 1_000_000
      plan.say("  \(worst.label): \(Outcome.number(cost)) ms/MB")
      outcome.requirements.append(
        Requirement(
          label: worst.label, unit: "ms/MB", value: cost, side: .atMost,
          limit: worst.isFile ? Limits.perMegabyteOfFile : Limits.perMegabyte))
    }
    return outcome
  }

  private static func bodies(apiKey: String) -> [WorstBody] {
    let json = "application/json"
    let app = "\"appId\":\"\(StageDevices.appID)\""
    var bodies: [WorstBody] = []
    for content in WorstBody.Content.allCases {
      let (small, large) = (Operations.Limits.deviceCallBytes - 100, Limits.adminBytes)
      bodies += [
        WorstBody(
          "receipts, \(content)", "/v1/receipts", json, bearer: nil,
          content.json(Operations.Limits.confirmationBytes - 20_000)),
        WorstBody("registration, \(content)", "/v1/devices", json, bearer: "nobody", content.json(small - 10_000)),
        WorstBody(
          "count, \(content)", "/v1/admin/segment-counts", json, bearer: apiKey,
          "{\(app),\"conditions\":\(content.json(large))}"),
        WorstBody(
          "draft, \(content)", "/v1/admin/drafts", json, bearer: apiKey,
          "{\(app),\"name\":\"n\",\"message\":{\"alert\":\(content.json(large))}}"),
        WorstBody(
          "send, \(content)", "/v1/admin/messages", json, bearer: apiKey,
          "{\(app),\"dryRun\":true,\"alert\":\"x\",\"audience\":{\"clientUids\":\(content.json(large))}}"),
      ]
    }
    let form = "application/x-www-form-urlencoded"
    for (label, piece) in [("equal fields", "a=&"), ("ampersands", "&"), ("escapes", "%41"), ("marks", "%CC%81%CC%96")]
    {
      let body = String(repeating: piece, count: Limits.formBytes / piece.utf8.count)
      bodies.append(WorstBody("form, \(label)", "/upmc/rcv_get_service.ctl", form, bearer: nil, body))
    }
    let part = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
    for (label, piece) in [("carriage returns", "\r"), ("half boundaries", "\r\n--"), ("parts", "\r\n\(part)")] {
      let body = part + String(repeating: piece, count: Limits.formBytes / piece.utf8.count)
      bodies.append(
        WorstBody(
          "multipart, \(label)", "/upmc/rcv_get_service.ctl", "multipart/form-data; boundary=x", bearer: nil, body))
    }
    for (label, piece) in [("commas", ","), ("quotes", "\""), ("odd quotes", "\"a\n"), ("lines", "\n")] {
      let body = String(repeating: piece, count: Limits.adminBytes / piece.utf8.count)
      let target = "/v1/admin/audiences/csv?appId=\(StageDevices.appID)"
      bodies.append(WorstBody("file, \(label)", target, "text/csv", bearer: apiKey, body))
    }
    return bodies
  }
}
