package import Domain
internal import Postgres
package import Time

/// The latest update of each broadcast channel: stored when a client publishes it, then claimed by the node that sends
/// it to APNs.
package enum ChannelUpdates {
  // MARK: Setting

  package struct Earlier: Sendable {
    package let sha256: [UInt8]
    package let version: Int64
    package let isSuperseded: Bool
  }

  private static let earlierStatement = Statement(
    "channel-updates-earlier",
    "SELECT sha256, version, is_superseded FROM channel_updates WHERE channel = $1 AND key = $2")

  /// Returns what `note` has stored about an earlier request for this channel with the same idempotency key; nil if
  /// there was none, or if the key was deleted (`forget`).
  package static func earlier(_ channel: Channels.Number, key: String) -> Query<Earlier?> {
    Query(first: earlierStatement, channel, key) {
      Earlier(sha256: $0.bytes(), version: $0.int64(), isSuperseded: $0.bool())
    }
  }

  private static let noteStatement = Statement(
    "channel-updates-note",
    "INSERT INTO channel_updates (channel, key, sha256, version, is_superseded) VALUES ($1, $2, $3, $4, $5)")

  package static func note(
    _ channel: Channels.Number, key: String, sha256: [UInt8], version: Int64, isSuperseded: Bool
  ) -> Query<Void> {
    Query(noteStatement, channel, key, sha256, version, isSuperseded) { _ in }
  }

  private static let setStatement = Statement(
    "channel-updates-set",
    """
    UPDATE channels SET version = version + 1, payload = $2, priority = $3, event_time = $4,
      asked_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => $5)
    WHERE channel = $1 RETURNING version
    """)

  /// Stores an update as the latest of a channel, and replaces one that has not been sent yet. Returns the update's
  /// version, which is the previous one plus 1. The caller must have locked the channel's row.
  /// - Parameters:
  ///   - eventTime: the update's `timestamp`, in seconds since 1970.
  ///   - seconds: time from now, in seconds, after which the update is not sent any more.
  package static func set(
    _ channel: Channels.Number, _ payload: [UInt8], priority: PushPriority, eventTime: Int64, expiresIn seconds: Int64
  ) -> Query<Int64> {
    Query(one: setStatement, channel, payload, priority.rawValue, eventTime, seconds) { $0.int64() }
  }

  private static let forgetStatement = Statement(
    "channel-updates-forget",
    """
    DELETE FROM channel_updates WHERE (channel, key) IN (
      SELECT channel, key FROM channel_updates WHERE created_at < clock_timestamp() - interval '1 day'
      ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)
    """)

  /// Deletes at most `limit` idempotency keys older than a day, the oldest first. Returns the number of deleted keys.
  package static func forget(atMost limit: Int) -> Query<Int> {
    Query(forgetStatement, limit) { $0.affected }
  }

  // MARK: Publishing

  /// An update that this node has claimed for publishing.
  package struct Taken: Sendable {
    package let channel: Channels.Number
    package let app: App.Number
    package let appID: String
    package let environment: PushEnvironment
    package let apnsChannel: String
    package let storage: ChannelStorage
    package let version: Int64
    package let payload: [UInt8]
    package let priority: PushPriority
    /// When the update expires; it must not be sent after that.
    package let expiresAt: Timestamp
    package let failures: Int16
  }

  private static let takeStatement = Statement(
    "channel-updates-take",
    """
    WITH due AS MATERIALIZED (
      SELECT c.channel FROM channels c JOIN apps a ON a.app = c.app
      WHERE c.version > c.published AND c.due_at <= clock_timestamp() AND a.paused_reason IS NULL
      ORDER BY c.due_at LIMIT $1 FOR NO KEY UPDATE OF c SKIP LOCKED
    )
    UPDATE channels c SET due_at = clock_timestamp() + make_interval(secs => $2)
    FROM due, apps a WHERE c.channel = due.channel AND a.app = c.app
    RETURNING c.channel, c.app, a.app_id, c.environment, c.apns_channel, c.storage, c.version, c.payload, c.priority,
      c.expires_at, c.failures
    """)

  /// Claims at most `limit` updates that are due, the longest overdue first. Skips paused apps, and channels that
  /// another transaction has locked. A claim lasts for `seconds`; after that, any node can claim the update again,
  /// because this one has probably failed.
  package static func take(atMost limit: Int, for seconds: Int64) -> Query<[Taken]> {
    Query(each: takeStatement, limit, seconds) { row in
      Taken(
        channel: row.int64(), app: row.int32(), appID: row.text(),
        environment: PushEnvironment(rawValue: row.int16()) ?? .production, apnsChannel: row.text(),
        storage: ChannelStorage(rawValue: row.int16()) ?? .none, version: row.int64(),
        payload: row.bytes(), priority: PushPriority(rawValue: row.int16()) ?? .immediate,
        expiresAt: row.timestamp(), failures: row.int16())
    }
  }

  private static let nextStatement = Statement(
    "channel-updates-next",
    """
    SELECT (extract(epoch FROM min(c.due_at) - clock_timestamp()) * 1000000)::bigint FROM channels c
    JOIN apps a ON a.app = c.app
    WHERE c.version > c.published AND c.due_at > '-infinity' AND a.paused_reason IS NULL
    """)

  /// Returns the time until the next waiting update is due, or until the claim on it expires; negative if an update is
  /// overdue. Returns nil if none is waiting. Ignores paused apps, and channels whose updates were never claimed: they
  /// are always due.
  package static func next() -> Query<Duration?> {
    Query(one: nextStatement) { row in row.optionalInt64().map { .microseconds($0) } }
  }

  /// The result of publishing a claimed update.
  package struct Settled: Equatable, Sendable {
    package let channel: Channels.Number
    package let version: Int64
    package let isAccepted: Bool
    /// True if the update need not be sent again: it was accepted, permanently refused, or has expired.
    package let isOver: Bool
    /// Minimum delay before the channel's next update, or the next try of this one, in milliseconds.
    package let waitMilliseconds: Int64
    /// APNs' error code, or another reason why the update was not accepted; nil if it was accepted or certainly not
    /// processed.
    package let word: String?

    package init(
      channel: Channels.Number, version: Int64, isAccepted: Bool, isOver: Bool, waitMilliseconds: Int64, word: String?
    ) {
      self.channel = channel
      self.version = version
      self.isAccepted = isAccepted
      self.isOver = isOver
      self.waitMilliseconds = waitMilliseconds
      self.word = word
    }
  }

  private static let settleStatement = Statement(
    "channel-updates-settle",
    """
    UPDATE channels c SET
      published = CASE WHEN t.is_over THEN greatest(c.published, t.version) ELSE c.published END,
      published_at = CASE WHEN t.is_accepted THEN clock_timestamp() ELSE c.published_at END,
      failures = CASE WHEN t.is_over THEN 0 ELSE least(c.failures + 1, 100) END,
      word = t.word, due_at = clock_timestamp() + make_interval(secs => t.wait / 1000.0)
    FROM unnest($1, $2, $3, $4, $5, $6) AS t(channel, version, is_accepted, is_over, wait, word)
    WHERE c.channel = t.channel
    """)

  /// Records results, at most one per channel, and when the channel's next update or try is due. An update that is over
  /// is not sent again, and resets the channel's count of failures to 0; any other result increments the count, up to
  /// 100. Results of deleted channels are ignored.
  package static func settle(_ settled: [Settled]) -> Query<Void> {
    var (channels, versions, waits) = (Int64Column(), Int64Column(), Int64Column())
    var (accepted, over) = (BoolColumn(), BoolColumn())
    var words = TextColumn()
    for entry in settled {
      channels.append(entry.channel)
      versions.append(entry.version)
      accepted.append(entry.isAccepted)
      over.append(entry.isOver)
      waits.append(entry.waitMilliseconds)
      words.append(entry.word)
    }
    return Query(settleStatement, channels, versions, accepted, over, waits, words) { _ in }
  }
}
