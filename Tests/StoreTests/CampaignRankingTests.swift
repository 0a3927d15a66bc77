import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@Suite struct CampaignRankingTests {
  private let connection: Connection
  private let day = Duration.seconds(86_400)
  /// 2026-03-01T00:00:00Z.
  private let start = Timestamp(seconds: 1_772_323_200)

  init() throws {
    connection = try TestDatabase.make().connect()
    // 60 campaigns, an hour apart, with totals of two writers; of every seventh nothing is known yet.
    try connection.script(
      """
      INSERT INTO apps (app_id, name, client_key, time_zone) VALUES ('a', 'a', 'a', 'Asia/Seoul'), ('b', 'b', 'b', 'UTC');
      INSERT INTO messages (seqno, created_at, expires_at, targeted, app, state, lane, purpose, request)
      SELECT n, timestamptz '2026-03-01T00:00:00Z' + n * interval '1 hour', '2026-12-01', CASE WHEN n % 7 <> 0 THEN n * 10 END,
        1 + n % 2, \(MessageState.queued.rawValue), 1, CASE WHEN n > 60 THEN 1 + n % 2 ELSE 0 END,
        json_build_object('alert', json_build_object('title', 'Offer ' || n), 'kind', CASE WHEN n % 3 = 0 THEN 'ad' ELSE 'notice' END,
          'sender', CASE WHEN n % 5 = 0 THEN 'crm' END)
      FROM generate_series(1, 80) n;
      INSERT INTO message_totals (seqno, writer, accepted, received, read)
      SELECT n, w, n * 4, n * 4 % 37, n * 4 % 11 FROM generate_series(1, 80) n, generate_series(1, 2) w WHERE n % 7 <> 0
      """)
  }

  private func filter(_ apps: [Int32] = [1, 2]) -> CampaignRanking.Filter {
    CampaignRanking.Filter(apps: apps, from: start, to: start + day * 30)
  }

  private func all(
    _ filter: CampaignRanking.Filter, by order: CampaignRanking.Order, page: Int = 7
  ) throws -> [CampaignRanking.Row] {
    var rows: [CampaignRanking.Row] = []
    var place = CampaignRanking.Place.first
    while true {
      let next = try connection.run(CampaignRanking.rows(filter, by: order, behind: place, window: 100, limit: page))
      rows += next
      guard next.count == page, let last = next.last else { return rows }
      place = last.place
    }
  }

  @Test(arguments: CampaignRanking.Order.allCases)
  func `every order has each campaign once, page by page, as a recount sorts them`(
    order: CampaignRanking.Order
  ) throws {
    let rows = try all(filter(), by: order)
    func share(_ part: Int64, _ whole: Int64) -> Int64 { whole == 0 ? -1 : part * 1_000_000 / whole }
    let expected = (1...60).map { (number: Int64) -> (Int64, Int64) in
      let isKnown = number % 7 != 0
      let targeted = isKnown ? number * 10 : 0
      let accepted = isKnown ? number * 8 : 0
      let received = isKnown ? 2 * (number * 4 % 37) : 0
      let read = isKnown ? 2 * (number * 4 % 11) : 0
      switch order {
      case .newest: return (number, number)
      case .targeted: return (targeted, number)
      case .accepted: return (share(accepted, targeted), number)
      case .received: return (share(received, accepted), number)
      case .read: return (share(read, accepted), number)
      }
    }.sorted { $0 > $1 }
    #expect(rows.map(\.place.seqno.number) == expected.map(\.1))
    #expect(rows.map(\.place.key) == expected.map(\.0))
    let listed = try connection.run(
      MessageLists.list(
        {
          var filter = MessageLists.Filter()
          filter.purpose = .campaign
          return filter
        }(), before: .max, window: 1_000, limit: 100))
    let numbers = Dictionary(uniqueKeysWithValues: listed.map { ($0.funnel.seqno, $0.funnel) })
    for row in rows {
      let funnel = try #require(numbers[row.place.seqno])
      #expect([row.accepted, row.received, row.read] == [funnel.accepted, funnel.received, funnel.read])
    }
  }

  @Test func `kind, text, sender, app and period narrow the ranking`() throws {
    func seqnos(_ change: (inout CampaignRanking.Filter) -> Void) throws -> [Int64] {
      var filter = filter()
      change(&filter)
      return try all(filter, by: .newest).map(\.place.seqno.number).sorted()
    }
    #expect(try seqnos { $0.kind = .ad } == (1...60).filter { $0 % 3 == 0 })
    #expect(try seqnos { $0.text = "offer 5" } == [5] + Array(50...59))
    #expect(try seqnos { $0.text = "%" }.isEmpty)
    #expect(try seqnos { $0.sender = "crm" } == (1...60).filter { $0 % 5 == 0 })
    #expect(try seqnos { $0.sender = "admin" } == (1...60).filter { $0 % 5 != 0 })
    #expect(try seqnos { $0.apps = [2] } == (1...60).filter { $0 % 2 == 1 })
    #expect(try seqnos { $0.to = start + day } == Array(1...23))
    #expect(try connection.run(CampaignRanking.count(filter(), limit: 100)) == 60)
    #expect(try connection.run(CampaignRanking.count(filter(), limit: 50)) == 50)
  }
}
