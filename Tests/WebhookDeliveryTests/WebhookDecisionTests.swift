import HTTPClient
import Store
import Testing

@testable import WebhookDelivery

@Suite struct WebhookDecisionTests {
  private let pauses: [Int32] = [5, 15]

  private func verdict(
    _ status: Int, attempts: Int16 = 1, _ headers: [(name: String, value: String)] = []
  ) -> WebhookDecision {
    .of(.success(HTTPResponse(status: status, headers: headers, body: [])), attempts: attempts, pauses: pauses)
  }

  @Test(arguments: [200, 202, 204]) func `2xx is delivered`(_ status: Int) {
    #expect(verdict(status) == WebhookDecision(state: .delivered, status: Int16(status)))
    #expect(verdict(status, attempts: 9).state == .delivered)
  }

  @Test(arguments: [301, 307, 400, 401, 404, 410, 429, 500, 503]) func `anything else is tried again`(_ status: Int) {
    let first = verdict(status)
    #expect(first.state == .waiting && first.afterSeconds == 5 && first.status == Int16(status))
    #expect(first.reason?.contains("\(status)") == true)
    #expect(verdict(status, attempts: 2).afterSeconds == 15)
    #expect(verdict(status, attempts: 3).state == .dead)
  }

  @Test func `what the receiver asks for is kept to, within reason`() {
    #expect(verdict(503, [("retry-after", "120")]).afterSeconds == 120)
    #expect(verdict(503, [("retry-after", "1")]).afterSeconds == 5)
    #expect(verdict(503, [("retry-after", "99999999")]).afterSeconds == WebhookDeliveryLimits.longestRetryAfter)
    #expect(verdict(503, [("retry-after", "soon")]).afterSeconds == 5)
  }

  @Test func `tenants do not read which proxy it is, nor what it says of its network`() throws {
    let fault = TunnelFault(reason: "the proxy 10.0.0.1:3128 cannot reach 10.0.0.2:22 (502)", status: 502)
    let closed = WebhookDecision.of(.failure(.noTunnel(fault)), attempts: 1, pauses: pauses)
    #expect(closed.state == .waiting && closed.reason == "the proxy did not connect")
    let tunnel = try OutboundProxy("http://10.0.0.1:3128").tunnel(to: "hooks.example", port: 443)
    let behind = HTTPClientError.unreachable(ProxyTunnel.behind(tunnel, "its certificate has ended"))
    let reason = WebhookDecision.of(.failure(behind), attempts: 1, pauses: pauses).reason
    #expect(reason == "the server cannot be reached: its certificate has ended")
  }

  @Test func `no answer is tried again`() {
    for error in [HTTPClientError.timedOut, .unreachable("x"), .lost("y"), .malformed("z")] {
      let verdict = WebhookDecision.of(.failure(error), attempts: 1, pauses: pauses)
      #expect(verdict.state == .waiting && verdict.status == nil && verdict.reason == error.description)
    }
  }
}
