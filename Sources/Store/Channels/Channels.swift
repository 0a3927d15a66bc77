package import Domain
internal import Postgres
package import Time

/// Broadcast channels of apps at APNs, which Live Activities follow.
package enum Channels {
  package typealias Number = Int64

  package struct Record: Equatable, Sendable {
    package let channel: Number
    package let app: App.Number
    package let environment: PushEnvironment
    package let storage: ChannelStorage
    /// Apple's id of the channel.
    package let apnsChannel: String
    package let name: String
    package let createdAt: Timestamp
    /// Version of the latest update, counted from 1; 0 if there was none.
    package let version: Int64
    /// Highest version whose update was accepted, permanently refused, or has expired; 0 if there is none. An update
    /// with a higher version waits to be sent.
    package let published: Int64
    package let publishedAt: Timestamp?
    /// The latest update's `timestamp`, in seconds since 1970; 0 if there was none.
    package let eventTime: Int64
    /// Why the last try to send an update failed: APNs' error code, or another reason. Nil if APNs accepted the update
    /// or certainly did not process it, and before the first try.
    package let word: String?
  }

  private static let columnList = """
    channel, app, environment, storage, apns_channel, name, created_at, version, published, published_at, event_time, word
    """

  private static let createStatement = Statement(
    "channels-create",
    """
    INSERT INTO channels (app, environment, storage, apns_channel, name) VALUES ($1, $2, $3, $4, $5)
    RETURNING \(columnList)
    """)

  /// Creates a channel without an update. Fails with `channels_name_is_unique` or `channels_apns_channel_is_unique` if
  /// the app has a channel with this name or this id in the environment.
  package static func create(
    _ app: App.Number, _ environment: PushEnvironment, _ storage: ChannelStorage, apnsChannel: String, name: String
  ) -> Query<Record> {
    Query(one: createStatement, app, environment.rawValue, storage.rawValue, apnsChannel, name, read: record)
  }

  private static let takenStatement = Statement(
    "channels-taken",
    """
    SELECT count(*), count(*) FILTER (WHERE name = $3) FROM channels WHERE app = $1 AND environment = $2
    """)

  /// Returns the number of an app's channels in an environment, and of those with this name (0 or 1).
  package static func taken(
    _ app: App.Number, _ environment: PushEnvironment, name: String
  ) -> Query<(channels: Int64, named: Int64)> {
    Query(one: takenStatement, app, environment.rawValue, name) { ($0.int64(), $0.int64()) }
  }

  private static let findStatement = Statement(
    "channels-find", "SELECT \(columnList) FROM channels WHERE channel = $1")

  package static func find(_ channel: Number) -> Query<Record?> {
    Query(first: findStatement, channel, read: record)
  }

  private static let lockStatement = Statement(
    "channels-lock", "SELECT \(columnList) FROM channels WHERE channel = $1 FOR NO KEY UPDATE")

  /// Locks a channel's row until the transaction ends, and returns the channel; nil if there is none.
  package static func lock(_ channel: Number) -> Query<Record?> {
    Query(first: lockStatement, channel, read: record)
  }

  private static let listStatement = Statement(
    "channels-list",
    """
    SELECT \(columnList) FROM channels
    WHERE app = $1 AND channel > $2 AND ($3::smallint IS NULL OR environment = $3) ORDER BY channel LIMIT $4
    """)

  /// Returns at most `limit` of an app's channels with numbers above `after`, in ascending order.
  /// - Parameter environment: nil for the channels of all environments.
  package static func list(
    _ app: App.Number, in environment: PushEnvironment?, after: Number, limit: Int
  ) -> Query<[Record]> {
    Query(each: listStatement, app, after, environment?.rawValue, limit, read: record)
  }

  private static let numbersStatement = Statement(
    "channels-numbers", "SELECT apns_channel, channel FROM channels WHERE app = $1 AND environment = $2")

  /// Returns the numbers of an app's channels in an environment, by Apple's ids of the channels.
  package static func numbers(_ app: App.Number, _ environment: PushEnvironment) -> Query<[String: Number]> {
    Query(numbersStatement, app, environment.rawValue) {
      $0.dictionary { row in
        (row.text(), row.int64())
      }
    }
  }

  private static let deleteStatement = Statement("channels-delete", "DELETE FROM channels WHERE channel = $1")

  package static func delete(_ channel: Number) -> Query<Void> {
    Query(deleteStatement, channel) { _ in }
  }

  private static func record(_ row: inout RowReader) -> Record {
    Record(
      channel: row.int64(), app: row.int32(),
      environment: PushEnvironment(rawValue: row.int16()) ?? .production,
      storage: ChannelStorage(rawValue: row.int16()) ?? .none, apnsChannel: row.text(),
      name: row.text(), createdAt: row.timestamp(), version: row.int64(),
      published: row.int64(), publishedAt: row.optionalTimestamp(), eventTime: row.int64(),
      word: row.optionalText())
  }
}
