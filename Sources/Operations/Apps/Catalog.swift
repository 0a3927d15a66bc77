package import Domain
package import Postgres
internal import Store
package import Reactor
internal import Synchronization

/// The apps and API keys as every request needs them: in memory, replaced as a whole when something changes.
///
/// Any thread reads; one thread refreshes, on NOTIFY and every few seconds in case a notification was missed.
package final class Catalog: Sendable {
  /// The channel on which changes of apps, keys and credentials are announced.
  package static let channel = "upmc_catalog"

  private struct Contents {
    var byNumber: [App.Number: App] = [:]
    var byID: [String: App] = [:]
    var byClientKey: [String: App] = [:]
    var callers: [[UInt8]: Caller] = [:]
    var policies = AppPolicies()
    var timeZones: Set<String> = []
  }

  private let contents = Mutex(Contents())
  private let refreshes = Atomic<Int>(0)
  /// Signalled when somebody missed an app that may just have been made.
  package let wanted: Wakeup

  /// Seals what confidential messages say; nil where none can be accepted.
  package let seal: ContentSeal?

  package init(seal: ContentSeal? = nil) throws(SystemError) {
    self.seal = seal
    wanted = try Wakeup()
  }

  /// How often it has been read, so that whoever missed something knows when to look again.
  package var generation: Int { refreshes.load(ordering: .acquiring) }

  package func app(clientKey: String) -> App? { contents.withLock { $0.byClientKey[clientKey] } }
  package func app(id: String) -> App? { contents.withLock { $0.byID[id] } }
  package func app(number: App.Number) -> App? { contents.withLock { $0.byNumber[number] } }

  /// Whoever holds this API key, if it was known and not revoked at the last reading.
  package func caller(apiKey: String) -> Caller? {
    let hash = Authorization.hash(apiKey)
    return contents.withLock { $0.callers[hash] }
  }

  /// What apps want done differently.
  package var policies: AppPolicies { contents.withLock { $0.policies } }

  /// What a device says of its time zone, as it is kept: a zone that has no name is none.
  package func known(timeZone: String) -> String {
    contents.withLock { $0.timeZones.contains(timeZone) } ? timeZone : ""
  }

  package var pausedApps: Set<App.Number> {
    contents.withLock { Set($0.byNumber.values.lazy.filter { $0.pausedReason != nil }.map(\.number)) }
  }

  /// Reads all apps and API keys again.
  package func refresh(_ connection: Connection) throws(PostgresError) {
    var fresh = Contents()
    for record in try connection.run(Apps.all()) {
      fresh.byNumber[record.app.number] = record.app
      fresh.byID[record.app.appID] = record.app
      fresh.byClientKey[record.clientKey] = record.app
    }
    fresh.policies = AppPolicies(fresh.byNumber.values)
    // They hardly ever change.
    let isTime = generation.isMultiple(of: Operations.Limits.readingsPerTimeZones)
    fresh.timeZones = isTime ? try connection.run(TimeZones.all()) : contents.withLock { $0.timeZones }
    for (hash, key) in try connection.run(Secrets.apiKeys()) { fresh.callers[hash] = Caller(key) }
    contents.withLock { $0 = fresh }
    refreshes.add(1, ordering: .releasing)
  }
}
