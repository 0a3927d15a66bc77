internal import FoundationEssentials
internal import HTTPServer

/// The server of a conformance run. `GET /expect/next` ends a step and returns the next one; all other requests are the
/// client's calls under test.
final class ExpectationDoor: RequestHandler {
  static let elsewhere = "/elsewhere"

  private let script = ClientExpectations.script
  private var facts = ExpectationFacts(
    appID: "com.example.expect", clientKey: "expect-client-key", authKey: "expect-auth-key",
    device: "0e0e0e0e-0000-4000-8000-000000000001")
  private var current = -1
  private var seen: [ExpectedRequest] = []
  private var report = ExpectationReport()
  /// Called once, when the last step has been judged.
  private let end: (ExpectationReport) -> Void

  init(_ end: @escaping (ExpectationReport) -> Void) {
    self.end = end
  }

  func handle(_ request: Request, _ responder: Responder) {
    if request.method == .get, request.path == "/expect/next" { return responder.send(next()) }
    let expected = ExpectedRequest(request)
    seen.append(expected)
    if facts.deviceID == nil, expected.isRegistration { facts.deviceID = expected.body.deviceId }
    responder.send(answer(expected))
  }

  // MARK: Steps

  private func next() -> Response {
    if script.indices.contains(current) {
      let step = script[current]
      report.steps.append(.init(title: step.title, faults: step.judge(seen, facts)))
    }
    seen = []
    current = min(current + 1, script.count)
    guard current < script.count else {
      if report.steps.count == script.count { end(report) }
      return json(.ok, #"{"step":"done"}"#)
    }
    return Response(
      status: .ok, headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
      body: told(script[current].action))
  }

  /// The instruction that the client receives.
  private struct Told: Encodable {
    var step: String
    var appId: String?
    var clientKey: String?
    var token: String?
    var clientUid: String?
    var payloads: [String]?
    var payload: String?
    var badgeOption: String?
    var badge: Int?
    var groupSeq: String?
    var afterSeconds: Int?
  }

  private func told(_ action: ExpectedStep.Action) -> [UInt8] {
    let told: Told
    switch action {
    case .register(let token, let user):
      told = Told(
        step: "register", appId: facts.appID, clientKey: facts.clientKey, token: token, clientUid: user)
    case .push(let payloads): told = Told(step: "push", payloads: payloads)
    case .restart: told = Told(step: "restart")
    case .flush(let seconds): told = Told(step: "flush", afterSeconds: seconds)
    case .read(let payload, let option, let badge):
      told = Told(step: "read", payload: payload, badgeOption: option, badge: badge)
    case .setBadge(let badge): told = Told(step: "setBadge", badge: badge)
    case .joinGroup(let group): told = Told(step: "joinGroup", groupSeq: group)
    case .unregisterUser: told = Told(step: "unregisterUser")
    case .unregisterService: told = Told(step: "unregisterService")
    }
    return (try? JSONEncoder().encode(told)).map { [UInt8]($0) } ?? []
  }

  // MARK: Answers

  private func answer(_ request: ExpectedRequest) -> Response {
    let manner = script.indices.contains(current) ? script[current].manner : .well
    switch manner {
    case .busy:
      var response = json(.serviceUnavailable, #"{"type":"upmc:busy","title":"Busy","status":503,"detail":"Later."}"#)
      response.headers.append(("Retry-After", "1"))
      return response
    case .page: return Response(status: .ok, contentType: "text/html", body: "<html>Log in to this network</html>")
    case .redirect where request.path != Self.elsewhere:
      return Response(status: .permanentRedirect, headers: [("Location", Self.elsewhere)])
    case .well, .unknown, .redirect: break
    }
    if let entries = request.confirmations {
      let word = manner == .unknown ? "unknown-message" : "recorded"
      let results = entries.map { entry in
        #"{"seqno":"\#(entry.seqno.flatMap { Int($0) } ?? 0)","status":"\#(word)","badge":3}"#
      }
      return json(.ok, #"{"results":[\#(results.joined(separator: ","))]}"#)
    }
    return deviceAnswer(request)
  }

  private func deviceAnswer(_ request: ExpectedRequest) -> Response {
    let standing = #""authKey":"\#(facts.authKey)","user":null,"identity":null,"awaitsPush":false"#
    switch (request.method, request.path.split(separator: "/").dropFirst(3).first) {
    case ("POST", nil): return json(.ok, #"{"device":"\#(facts.device)","badge":3,\#(standing)}"#)
    case ("PUT", "user"?): return json(.ok, "{\(standing)}")
    case ("PUT", "badge"?), ("GET", "badge"?): return json(.ok, #"{"badge":\#(request.body.badge ?? 3)}"#)
    default: return Response(status: .noContent)
    }
  }

  private func json(_ status: Status, _ text: String) -> Response {
    Response(status: status, contentType: "application/json", body: text)
  }
}
