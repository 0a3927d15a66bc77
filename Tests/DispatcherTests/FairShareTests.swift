import Domain
import TestSupport
import Testing

@testable import Dispatcher

@Suite struct FairShareTests {
  private var turns = FairShare()

  /// Claims `rounds` times 100 devices for whoever is first, and answers how many each message got.
  private mutating func serve(_ waiting: [FairShare.Waiting], rounds: Int) -> [Seqno: Int] {
    var served: [Seqno: Int] = [:]
    for _ in 0..<rounds {
      guard let next = turns.order(waiting).first else { break }
      turns.charge(next.seqno, 100)
      served[next.seqno, default: 0] += 100
    }
    return served
  }

  @Test mutating func `lanes go in order`() {
    let order = turns.order([(1, .bulk), (2, .normal), (3, .urgent), (4, .bulk)])
    #expect(order.map(\.seqno) == [3, 2, 4, 1])
  }

  @Test mutating func `messages of one lane share evenly`() {
    #expect(serve([(1, .bulk), (2, .bulk), (3, .bulk)], rounds: 30) == [1: 1000, 2: 1000, 3: 1000])
  }

  @Test mutating func `a new message is served at once, however many came before and however much they got`() {
    let old: [FairShare.Waiting] = (1...50).map { (Seqno($0), .bulk) }
    _ = serve(old, rounds: 5_000)
    #expect(turns.order(old + [(51, .bulk)]).first?.seqno == 51)
  }

  @Test mutating func `a new large message takes its share, not all`() {
    _ = serve([(1, .bulk)], rounds: 1_000)
    #expect(serve([(1, .bulk), (2, .bulk)], rounds: 100) == [1: 5_000, 2: 5_000])
  }

  @Test mutating func `one that comes back after a pause catches nothing up`() {
    _ = serve([(1, .bulk), (2, .bulk)], rounds: 100)
    _ = serve([(1, .bulk)], rounds: 1_000)
    #expect(serve([(1, .bulk), (2, .bulk)], rounds: 100) == [1: 5_000, 2: 5_000])
  }

  @Test mutating func `one that was served less while it stayed is next`() {
    _ = turns.order([(1, .bulk), (2, .bulk)])
    turns.charge(2, 2_000)
    #expect(turns.order([(1, .bulk), (2, .bulk)]).map(\.seqno) == [1, 2])
    turns.charge(1, 500)
    #expect(turns.order([(1, .bulk), (2, .bulk)]).map(\.seqno) == [1, 2])
  }
}
