internal import FoundationEssentials
internal import HTTPServer
internal import Reactor

/// The server of a conformance run. `GET /expect/next` ends the current step and returns the next one; all other
/// requests are the client's. The first may name the parts that the client lacks: `?without=strict,consent,inbox`.
final class ExpectationHandler: RequestHandler {
  private var script = ClientExpectations.script
  private var facts = ExpectationFacts(
    appID: "com.example.expect", clientKey: "expect-client-key", authKey: "expect-auth-key",
    device: "0e0e0e0e-0000-4000-8000-000000000001")
  private var current = -1
  private var seen: [ExpectedRequest] = []
  private var report = ExpectationReport()
  /// Value of `awaitsPush` in responses: true in a strict app until the client has proved possession of a push.
  private var awaitsPush = false
  /// Called with the report after the last step was judged.
  private let end: (ExpectationReport) -> Void

  init(_ end: @escaping (ExpectationReport) -> Void) {
    self.end = end
  }

  func handle(_ request: Request, _ responder: Responder) {
    if request.method == .get, request.path == "/expect/next" {
      if current < 0 { leaveOut(request.query) }
      return responder.send(next())
    }
    let expected = ExpectedRequest(request, at: SystemClock().now)
    seen.append(expected)
    if facts.deviceID == nil, expected.isRegistration { facts.deviceID = expected.body.deviceId }
    responder.send(answer(expected))
  }

  // MARK: Steps

  private func leaveOut(_ query: String) {
    guard let names = query.split(separator: "&").first(where: { $0.hasPrefix("without=") })?.dropFirst(8) else {
      return
    }
    let parts = Set(names.split(separator: ",").compactMap { ExpectedStep.Part(rawValue: String($0)) })
    script.removeAll { $0.part.map(parts.contains) == true }
    report.without = ExpectedStep.Part.allCases.filter(parts.contains).map(\.rawValue)
  }

  private func next() -> Response {
    if script.indices.contains(current) {
      let step = script[current]
      report.steps.append(.init(title: step.title, faults: step.judge(seen, facts)))
    }
    seen = []
    facts.formerKey = nil
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
  private struct Instruction: Encodable {
    var step: String
    var appId: String?
    var clientKey: String?
    var token: String?
    var clientUid: String?
    var userProof: String?
    var payloads: [String]?
    var payload: String?
    var badgeOption: String?
    var badge: Int?
    var groupSeq: String?
    var afterSeconds: Int?
    var notification: Bool?
    var ad: Bool?
  }

  private func told(_ action: ExpectedStep.Action) -> [UInt8] {
    let told: Instruction
    switch action {
    case .register(let token, let user, let proof):
      told = Instruction(
        step: "register", appId: facts.appID, clientKey: facts.clientKey, token: token, clientUid: user,
        userProof: proof)
    case .setUser(let user, let proof): told = Instruction(step: "setUser", clientUid: user, userProof: proof)
    case .push(let payloads): told = Instruction(step: "push", payloads: payloads)
    case .restart: told = Instruction(step: "restart")
    case .flush(let seconds): told = Instruction(step: "flush", afterSeconds: seconds)
    case .read(let payload, let option, let badge):
      told = Instruction(step: "read", payload: payload, badgeOption: option, badge: badge)
    case .setBadge(let badge): told = Instruction(step: "setBadge", badge: badge)
    case .joinGroup(let group): told = Instruction(step: "joinGroup", groupSeq: group)
    case .consent(let notification, let ad): told = Instruction(step: "consent", notification: notification, ad: ad)
    case .inbox: told = Instruction(step: "inbox")
    case .unregisterUser: told = Instruction(step: "unregisterUser")
    case .unregisterService: told = Instruction(step: "unregisterService")
    }
    return (try? JSONEncoder().encode(told)).map { [UInt8]($0) } ?? []
  }

  // MARK: Responses

  private func answer(_ request: ExpectedRequest) -> Response {
    let manner = script.indices.contains(current) ? script[current].manner : .well
    switch manner {
    case .busy:
      var response = json(.serviceUnavailable, #"{"type":"upmc:busy","title":"Busy","status":503,"detail":"Later."}"#)
      response.headers.append(("Retry-After", "\(Limits.expectedRetryAfterSeconds)"))
      return response
    case .page: return Response(status: .ok, contentType: "text/html", body: "<html>Log in to this network</html>")
    case .redirect where request.path != ExpectedRequest.elsewhere:
      return Response(status: .permanentRedirect, headers: [("Location", ExpectedRequest.elsewhere)])
    case .unproved where request.body.clientUid != nil:
      return json(
        .forbidden,
        #"{"type":"upmc:bad-user-proof","title":"The user is not vouched for","status":403,"detail":"Log in again."}"#)
    case .strict where request.isRegistration: awaitsPush = true
    case .well, .unknown, .redirect, .unproved, .strict: break
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
    switch (request.method, request.path.split(separator: "/").dropFirst(3).first) {
    case ("POST", nil): return json(.ok, #"{"device":"\#(facts.device)","badge":3,\#(identityMembers)}"#)
    case ("PUT", "user"?): return json(.ok, "{\(identityMembers)}")
    case ("POST", "possession"?):
      // From now on the device belongs to the user, with another key.
      (awaitsPush, facts.formerKey, facts.authKey) = (false, facts.authKey, "expect-second-key")
      return json(.ok, "{\(identityMembers)}")
    case ("PUT", "badge"?), ("GET", "badge"?): return json(.ok, #"{"badge":\#(request.body.badge ?? 3)}"#)
    case ("PUT", "consent"?):
      return json(
        .ok,
        #"""
        {"notification":{"given":true,"at":"2026-11-25T10:00:00.000Z"},"ad":{"given":false,"at":"2026-11-25T10:00:00.000Z"},\#
        "nightAd":null}
        """#)
    case ("GET", "inbox"?):
      let (seqno, next) = request.isNextPage ? (101, "null") : (102, #""\#(ExpectedRequest.nextPage)""#)
      return json(
        .ok,
        #"""
        {"items":[{"seqno":"\#(seqno)","sentAt":"2026-11-25T10:00:00.000Z","endsAt":"2026-12-25T10:00:00.000Z",\#
        "readAt":null,"payload":\#(ClientExpectations.payload(seqno))}],"unread":2,"nextCursor":\#(next)}
        """#)
    default: return Response(status: .noContent)
    }
  }

  private var identityMembers: String {
    #""authKey":"\#(facts.authKey)","user":null,"identity":null,"awaitsPush":\#(awaitsPush)"#
  }

  private func json(_ status: Status, _ text: String) -> Response {
    Response(status: status, contentType: "application/json", body: text)
  }
}
