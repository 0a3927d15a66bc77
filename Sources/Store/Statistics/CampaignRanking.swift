package import Domain
internal import Postgres
package import Time

/// The ranking of a period's campaigns by time, size or a share (accepted, received or read). Single sends and tests
/// are not ranked.
package enum CampaignRanking {
  /// The property by which campaigns are sorted, in descending order. Campaigns without a share come last.
  package enum Order: String, CaseIterable, Sendable {
    /// The SEQNO, that is, the order in which the campaigns were stored.
    case newest
    case targeted
    /// Share of the targeted devices whose push a network accepted.
    case accepted
    /// Share of the accepted deliveries that were received, or that were read.
    case received, read

    /// SQL for the sort key, a bigint; shares are in millionths.
    fileprivate var key: String {
      switch self {
      case .newest: "c.seqno"
      case .targeted: "coalesce(c.targeted, 0)"
      case .accepted: "coalesce(t.accepted * 1000000 / nullif(c.targeted, 0), -1)"
      case .received: "coalesce(t.received * 1000000 / nullif(t.accepted, 0), -1)"
      case .read: "coalesce(t.read * 1000000 / nullif(t.accepted, 0), -1)"
      }
    }
  }

  package struct Filter: Sendable {
    package var apps: [App.Number]
    /// Start of the period in which campaigns were requested.
    package var from: Timestamp
    /// End of that period, exclusive.
    package var to: Timestamp
    package var kind: MessageKind?
    /// Text that the title, subtitle or body must contain, ignoring case; nil for any.
    package var text: String?
    package var sender: String?

    package init(apps: [App.Number], from: Timestamp, to: Timestamp) {
      self.apps = apps
      self.from = from
      self.to = to
    }
  }

  /// Position of a campaign in the order; `first` is the position before all campaigns.
  package struct Place: Equatable, Sendable {
    package let key: Int64
    package let seqno: Seqno

    package init(key: Int64, seqno: Seqno) {
      self.key = key
      self.seqno = seqno
    }

    package static let first = Place(key: .max, seqno: .max)
  }

  package struct Row: Sendable {
    package let place: Place
    package let appID: String
    /// The alert as JSON, of a long one only its beginning; nil if the campaign has none, is confidential, or has a
    /// request with a stored size of 64 KiB or more.
    package let alert: String?
    package let kind: MessageKind
    package let sender: String?
    package let isConfidential: Bool
    package let createdAt: Timestamp
    package let targeted: Int64?
    package let accepted: Int64
    package let received: Int64
    package let read: Int64
  }

  /// One statement per order, which ranks the newest campaigns of the period, at most `$8`.
  private static let statements: [Statement] = Order.allCases.map { order in
    Statement(
      "statistics-campaigns-\(order.rawValue)",
      """
      WITH candidates AS MATERIALIZED (
        SELECT m.seqno, m.app, m.created_at, m.targeted,
          CASE WHEN pg_column_size(m.request) < 65536 THEN m.request END AS request
        FROM messages m WHERE m.app = ANY($1) AND m.purpose = \(MessagePurpose.campaign.sql)
          AND m.created_at >= $2 AND m.created_at < $3
        ORDER BY m.created_at DESC LIMIT $8)
      SELECT r.seqno, r.key, a.app_id,
        CASE WHEN r.request->>'confidential' IS DISTINCT FROM 'true' THEN \(MessageLists.alert(of: "r")) END,
        r.request->>'kind', r.request->>'sender', coalesce((r.request->>'confidential')::boolean, false),
        r.created_at, r.targeted, r.accepted, r.received, r.read
      FROM (
        SELECT c.*, t.accepted, t.received, t.read, (\(order.key))::bigint AS key
        FROM candidates c
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(accepted), 0)::bigint AS accepted,
            coalesce(sum(t.received), 0)::bigint + min(u.received) AS received,
            coalesce(sum(t.read), 0)::bigint + min(u.read) AS read
          FROM unfolded_confirmations(c.seqno) u LEFT JOIN message_totals t ON t.seqno = c.seqno) t
        WHERE ($4::text IS NULL OR coalesce(c.request->>'kind', '\(MessageKind.notice.rawValue)') = $4)
          AND ($5::text IS NULL OR concat_ws(' ',
            CASE WHEN json_typeof(c.request->'alert') = 'string' THEN c.request->>'alert' END,
            c.request#>>'{alert,title}', c.request#>>'{alert,subtitle}', c.request#>>'{alert,body}') ILIKE $5)
          AND ($6::text IS NULL OR coalesce(c.request->>'sender', 'admin') = $6)
        ) r JOIN apps a ON a.app = r.app
      WHERE (r.key, r.seqno) < ($9, $10)
      ORDER BY r.key DESC, r.seqno DESC LIMIT $7
      """)
  }

  private static let countStatement = Statement(
    "statistics-campaigns-count",
    """
    SELECT count(*) FROM (
      SELECT FROM messages m WHERE m.app = ANY($1) AND m.purpose = \(MessagePurpose.campaign.sql)
        AND m.created_at >= $2 AND m.created_at < $3 LIMIT $4) c
    """)

  /// Returns the number of campaigns of the filter's apps and period, ignoring its kind, text and sender. Stops
  /// counting at `limit`.
  package static func count(_ filter: Filter, limit: Int) -> Query<Int> {
    var parameters = scope(filter)
    parameters.append(limit)
    return Query(countStatement, parameters) { $0.decodeOne { Int($0.int64()) } }
  }

  private static func scope(_ filter: Filter) -> Parameters {
    var apps = Int32Column()
    for app in filter.apps { apps.append(app) }
    return Parameters(apps, filter.from, filter.to)
  }

  /// Returns at most `limit` matching campaigns that come after a position in the order. A campaign whose request has a
  /// stored size of 64 KiB or more counts as a notice from the default sender that is not confidential, and matches no
  /// text.
  /// - Parameter window: maximum number of campaigns examined: the newest of the period.
  package static func rows(
    _ filter: Filter, by order: Order, behind place: Place, window: Int, limit: Int
  ) -> Query<[Row]> {
    var parameters = scope(filter)
    parameters.append(filter.kind?.rawValue)
    parameters.append(filter.text.map(MessageLists.pattern))
    parameters.append(filter.sender)
    parameters.append(limit)
    parameters.append(window)
    parameters.append(place.key)
    parameters.append(place.seqno)
    return Query(statements[Order.allCases.firstIndex(of: order) ?? 0], parameters) { rows in
      rows.decode { row in
        let seqno = row.seqno()
        return Row(
          place: Place(key: row.int64(), seqno: seqno), appID: row.text(), alert: row.optionalText(),
          kind: row.optionalText().flatMap(MessageKind.init(rawValue:)) ?? .notice, sender: row.optionalText(),
          isConfidential: row.bool(), createdAt: row.timestamp(), targeted: row.optionalInt64(), accepted: row.int64(),
          received: row.int64(), read: row.int64())
      }
    }
  }
}
