import Testing

@testable import WebhookDelivery

@Suite struct SharesTests {
  @Test func `an app has a part of all that is under way, and gets it back`() {
    var shares = Shares()
    for _ in 0..<WebhookDeliveryLimits.underWayOfOneApp { shares.began(1) }
    #expect(shares.room(for: 1) == 0 && shares.room(for: 2) == WebhookDeliveryLimits.underWayOfOneApp)
    shares.ended(1)
    #expect(shares.room(for: 1) == 1)
  }

  @Test func `all apps together are bounded`() {
    var shares = Shares()
    for number in 0..<WebhookDeliveryLimits.underWay { shares.began(Int32(number)) }
    #expect(shares.room(for: 7) == 0)
    shares.ended(0)
    #expect(shares.room(for: 0) == 1)
  }
}
