import HTTPClient
import Reactor
import Testing

@testable import WebhookDelivery

/// When webhooks may go through the operator's proxy.
@Suite struct ProxyStateTests {
  private typealias Outcome = Result<HTTPResponse, HTTPClientError>

  private static func refused(_ status: Int?) -> Outcome {
    .failure(.noTunnel(TunnelFault(reason: "x", status: status)))
  }

  private let start = Instant(nanoseconds: 1_000_000_000_000)

  @Test func `one attempt goes ahead of all others`() {
    var way = ProxyState()
    #expect(way.room(at: start) == 1)
    way.began()
    #expect(way.room(at: start) == 0)
    way.ended(.failure(.timedOut), at: start)
    #expect(way.room(at: start) == .max, "behind the tunnel it is the webhook's own fault")
  }

  @Test(arguments: [401, 407]) func `a wrong password is told once in five minutes, by whomever`(status: Int) {
    var way = ProxyState()
    way.began()
    way.ended(Self.refused(502), at: start)
    #expect(way.room(at: start) == .max, "it was let in")
    for _ in 0..<3 { way.ended(Self.refused(status), at: start) }
    let (early, due) = (start + WebhookDeliveryLimits.passwordRest / 2, start + WebhookDeliveryLimits.passwordRest)
    #expect(way.room(at: early) == 0)
    // One that began before has its answer.
    way.ended(.failure(.lost("x")), at: start)
    #expect(way.room(at: early) == 0 && way.room(at: due) == 1)
    way.began()
    #expect(way.room(at: due) == 0)
    way.ended(Self.refused(status), at: due)
    #expect(way.room(at: due + .seconds(1)) == 0)
    way.began()
    way.ended(.failure(.timedOut), at: due)
    #expect(way.room(at: due) == .max)
  }

  @Test func `a proxy that does not answer is asked by one at a time until it does`() {
    var way = ProxyState()
    way.began()
    way.ended(Self.refused(nil), at: start)
    #expect(way.room(at: start) == 1)
  }

  @Test func `the log hears of it now and then`() {
    var way = ProxyState()
    let spoken = [Duration.zero, .seconds(1), WebhookDeliveryLimits.proxyWordsPause].map { way.speaks(at: start + $0) }
    #expect(spoken == [true, false, true])
  }
}
