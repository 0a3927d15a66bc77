import Reactor
import Testing

@testable import PushTransport

@Suite struct AddressOrderTests {
  private let addresses = (1...6).flatMap { try! SocketAddress.resolve(host: "192.0.2.\($0)", port: 443).prefix(1) }
  private let start = Instant(nanoseconds: 1_000_000_000)

  @Test func `all addresses are tried, and not always in the same order`() {
    var order = AddressOrder()
    let orders = (0..<50).map { _ in order.order(addresses, inUse: [], at: start) }
    #expect(orders.allSatisfy { Set($0) == Set(addresses) })
    #expect(Set(orders.map(\.first)).count > 1)
  }

  @Test func `those that carry fewest of our connections come first`() {
    var order = AddressOrder()
    let inUse = [addresses[0], addresses[0], addresses[1], addresses[2], addresses[3]]
    for _ in 0..<20 {
      let next = order.order(addresses, inUse: inUse, at: start)
      #expect(Set(next.prefix(2)) == [addresses[4], addresses[5]])
      #expect(next.last == addresses[0])
    }
  }

  @Test func `one that failed comes last, for five minutes`() {
    var order = AddressOrder()
    order.failed(addresses[5], at: start)
    let inUse = Array(addresses.prefix(5))
    #expect(order.order(addresses, inUse: inUse, at: start + .seconds(299)).last == addresses[5])
    #expect(order.order(addresses, inUse: inUse, at: start + .seconds(301)).first == addresses[5])
  }
}
