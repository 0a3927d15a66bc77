/// Everything that can be done, free of transport: the only place with the rules.
///
/// The doors (`/v1`, the SDK's `*.ctl`, the admin API, the command line) turn bytes into an operation and its answer into
/// bytes; they decide nothing.
///
/// **Hot operations** (`Operation`: register, confirm, badge, groups …) come in thousands a second. They are carried
/// out together by an `OperationBatch`: one transaction, one statement per kind, a few round trips for all of them.
///
/// ```
///   round 0  learn and lock   tokens → devices      whose is this token, who is this device, what is confirmed
///   round 1  complete         displaced devices, whom a message was sent to
///   round 2  write            devices, memberships, receipts, reads, ledger; lock users
///   round 3  write            counts          COMMIT
/// ```
///
/// The rules themselves run between the rounds, in plain Swift, on values: they are tested by handing in rows.
///
/// **Straight-line operations** (sending, groups, apps, keys) run on a thread with a blocking connection.
package enum Operations {
  package enum Limits {
    /// Operations of one batch. More gain nothing: at this size the commit's cost per operation is already small.
    package static let batchOperations = 1024
    /// Rows that the operations of one batch read or write, roughly; one operation may bring more. A few milliseconds.
    package static let batchWeight = 4096
    /// Readings of the catalog between two readings of the time zones: ten minutes.
    static let readingsPerTimeZones = 600
    /// How exactly it is known when a device called last, in microseconds (an hour).
    static let seenMicroseconds: Int64 = 3_600 * 1_000_000
    /// Addresses that brought new devices, before those that rest are looked for and forgotten: a few hundred KiB.
    static let rememberedSources = 4_096
    /// Between two lines in the log about new devices that were refused.
    static let refusalLogInterval = Duration.seconds(60)
  }
}
