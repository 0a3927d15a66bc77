import Domain
import Testing

@testable import PushTransport

@Suite struct StreamSharesTests {
  @Test func `the last streams are for urgent ones, those before for normal ones too`() {
    let shares = StreamShares(limit: 160, cap: 500)
    #expect(shares.urgent == 160 && shares.normal == 150 && shares.bulk == 140)
  }

  @Test func `where the peer allows more than our cap, the reserve lies above it`() {
    let shares = StreamShares(limit: 1000, cap: 480)
    #expect(shares.urgent == 510 && shares.normal == 479 && shares.bulk == 448)
  }

  @Test(arguments: 1...15)
  func `a small limit has no reserve, and all lanes can use it`(_ limit: Int) {
    #expect(StreamShares(limit: limit, cap: 500).bulk == limit)
    #expect(StreamShares(limit: limit, cap: 500).urgent == limit)
  }

  @Test func `no lane gets more than the peer allows, and a more urgent one never less`() {
    for limit in 0...2000 {
      for cap in [1, 7, 16, 100, 500] {
        let shares = StreamShares(limit: limit, cap: cap)
        #expect(shares.urgent <= limit && shares.normal <= shares.urgent && shares.bulk <= shares.normal)
        #expect(shares.normal <= cap && (limit == 0 || shares.bulk >= 1))
      }
    }
  }

  @Test func `bytes of the window are kept too`() {
    #expect(StreamShares.windowReserve(.urgent) == 0)
    #expect(StreamShares.windowReserve(.normal) == 4096)
    #expect(StreamShares.windowReserve(.bulk) == 8192)
  }
}
