internal import HTTP2
internal import HTTPServer
internal import Reactor

/// FCM and Google's token endpoint over HTTP/1.1, on the control API's address, for clients without HTTP/2.
///
/// | request | effect |
/// | --- | --- |
/// | `POST /token` | returns an access token for a service account's assertion |
/// | `POST /v1/projects/P/messages:send` | as over HTTP/2, but only faults of kind `answer` apply |
struct PlainFCM {
  let simulated: SimulatedService

  /// Returns the response; nil if the path is not one of Google's.
  func response(to request: Request) -> Response? {
    let body = request.withBody { ASCII.array($0) }
    simulated.takeTime()
    if request.path == "/token" {
      guard request.method == .post else { return Response(status: .methodNotAllowed, headers: [("Allow", "POST")]) }
      return exchange(body, address: "http://\(request.header("host") ?? "")/token")
    }
    guard FCMService.serves(request.path) else { return nil }
    let asked = FCMService.Request(
      method: request.method == .post ? "POST" : "", path: request.path,
      authorization: request.header("authorization"), body: body)
    switch simulated.fcm.judge(asked) {
    case .failure(let error): return response(error)
    case .success(let accepted): return answer(accepted)
    }
  }

  private func exchange(_ body: [UInt8], address: String) -> Response {
    switch simulated.fcm.tokens.exchange(body, address: address, now: simulated.nowSeconds, dice: &simulated.dice) {
    case .success(let body): json(body, .ok)
    case .failure(let refusal): json(refusal.body, .badRequest)
    }
  }

  private func json(_ body: [UInt8], _ status: Status) -> Response {
    Response(status: status, headers: [("Content-Type", "application/json; charset=utf-8")], body: body)
  }

  private func answer(_ accepted: FCMService.Accepted) -> Response {
    let effect = simulated.faults.effect(
      onRequestFor: .registration(accepted.name), .init(place: .fcm, connection: 0, now: simulated.loop.now))
    if case .answer(let answer) = effect {
      simulated.counters.faults[answer.reason, default: 0] += 1
      simulated.fcm.counters.rejected[answer.reason, default: 0] += 1
      var error = FCMError.named(answer.reason) ?? FCMError(answer.status, "Simulated fault.", [.fcm(answer.reason)])
      error.retryAfter = answer.retryAfterSeconds.map { String($0) }
      return response(error)
    }
    let id = MessageID.random(&simulated.dice)
    simulated.fcm.deliver(accepted, id: id, atMicroseconds: simulated.batchMicroseconds)
    return json(simulated.fcm.answer(accepted, id), .ok)
  }

  private func response(_ error: FCMError) -> Response {
    Response(
      status: Status(error.status),
      headers: error.fields.map { ($0.name, $0.value) }, body: error.body)
  }
}
