package import Store

/// Everything UPMC can do, independent of transport. All business rules live here.
///
/// The handlers (`/v1`, the SDK's `*.ctl`, the admin API, the command line) parse requests into operations and
/// serialize the results; they decide nothing themselves.
///
/// **Hot operations** (`Operation`: what devices ask for, such as registering and confirming, and sends to named users)
/// arrive by the thousand per second. An `OperationBatch` executes many of them together: one transaction, one
/// statement per kind, a few round trips for the whole batch.
///
/// ```
///   round 0  learn and lock   tokens, devices, recipients of sends, candidates for confirmations
///   round 1  complete         displaced devices, users of confirmed deliveries; stores the sent messages
///   round 2  write            devices, memberships, receipts, reads, ledger; locks users whose counts are needed
///   round 3  write            counts; skipped if round 2 has locked no users      COMMIT
/// ```
///
/// The rules run between the rounds, in plain Swift on plain values, so tests only have to supply rows.
///
/// **Straight-line operations** (all others, such as campaigns and changes to groups, apps and keys) run individually,
/// each on a thread with a blocking connection.
package enum Operations {
  package enum Limits {
    /// Maximum number of operations in a batch. In larger batches, the commit's share of the time per operation is
    /// already negligible.
    package static let batchOperations = 1024
    /// Approximate maximum number of rows that a batch reads or writes, which takes a few milliseconds. The last
    /// operation of a batch can exceed it.
    package static let batchWeight = 4096
    /// Number of catalog reloads after which the time zones are reloaded too: at least one reload a second, so within
    /// about ten minutes.
    static let readingsPerTimeZones = 600
    /// Precision with which the time of a device's last call is recorded (one hour).
    static let seenInterval: Duration = .seconds(3_600)
    /// Minimum number of sources of new devices (app and address) kept in memory before idle ones are removed: a few
    /// hundred KiB.
    static let rememberedSources = 4_096
    /// Minimum interval between log lines about refused new devices.
    static let refusalLogInterval = Duration.seconds(60)
  }
}

/// A database step of a batch: a statement, and the code that reads its rows.
package typealias Step = Query<Void>
