package import Domain
package import Postgres
internal import Store
package import Reactor
internal import Synchronization

/// In-memory catalog of apps, API keys and time zones, for lookups by every request; replaced as a whole on each
/// refresh.
///
/// Any thread may read. One thread refreshes it: at least every second, when a change is announced on `channel`, and
/// when `wanted` is signalled.
package final class Catalog: Sendable {
  /// NOTIFY channel on which changes to apps, keys and credentials are announced.
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
  /// Numbers of the API keys used since the last `writeUses`.
  private let usedKeys = Mutex<Set<Int32>>([])
  private let refreshes = Atomic<Int>(0)
  /// Signalled to request a refresh at once: when a lookup misses an app that may have just been created, when a sender
  /// needs a provider token, or to stop the refreshing thread.
  package let wanted: Wakeup

  /// Encrypts the content of confidential messages; nil if none can be accepted.
  package let seal: ContentSeal?

  package init(seal: ContentSeal? = nil) throws(SystemError) {
    self.seal = seal
    wanted = try Wakeup()
  }

  /// Number of refreshes so far. After a failed lookup, `UnknownKeyDelay` waits until it has increased by two.
  package var generation: Int { refreshes.load(ordering: .acquiring) }

  package func app(clientKey: String) -> App? { contents.withLock { $0.byClientKey[clientKey] } }
  package func app(id: String) -> App? { contents.withLock { $0.byID[id] } }
  package func app(number: App.Number) -> App? { contents.withLock { $0.byNumber[number] } }

  /// Returns the caller that the API key identifies, and records that the key was used. Returns nil if, at the last
  /// refresh, the key was unknown, revoked or expired, or had a role that this version does not know.
  package func caller(apiKey: String) -> Caller? {
    let hash = Authorization.hash(apiKey)
    let caller = contents.withLock { $0.callers[hash] }
    if let key = caller?.apiKey { noteUse(of: key) }
    return caller
  }

  /// Records that an API key was used. Callable from any thread.
  package func noteUse(of key: Int32) {
    usedKeys.withLock { _ = $0.insert(key) }
  }

  /// Stores which API keys were used since the last call, in one statement; without such keys, does nothing. If it
  /// throws, the next call tries again. Decision 146.
  package func writeUses(_ connection: Connection) throws(PostgresError) {
    let used = usedKeys.withLock { used in
      defer { used.removeAll(keepingCapacity: true) }
      return used
    }
    guard !used.isEmpty else { return }
    do throws(PostgresError) {
      // Sorted, so that two nodes never wait for each other's row locks.
      try connection.run(KeyUses.note(used.sorted()))
    } catch {
      usedKeys.withLock { $0.formUnion(used) }
      throw error
    }
  }

  /// All apps' policies as of the last refresh, for operations that must not read the database for them. `userProofs`
  /// is nil.
  package var policies: AppPolicies { contents.withLock { $0.policies } }

  /// Returns the name of a device's time zone as stored: empty for an unknown zone.
  package func known(timeZone: String) -> String {
    contents.withLock { $0.timeZones.contains(timeZone) } ? timeZone : ""
  }

  package var pausedApps: Set<App.Number> {
    contents.withLock { Set($0.byNumber.values.lazy.filter { $0.pausedReason != nil }.map(\.number)) }
  }

  /// Reloads all apps and API keys, and at the first refresh and every 600th after it (`readingsPerTimeZones`) also the
  /// time zones. If it throws, the contents stay as they were.
  /// - Parameter timeZones: false if no device registers here, which saves the slow query of all time zones; `known`
  ///   then finds only zones that were loaded before.
  package func refresh(_ connection: Connection, timeZones: Bool = true) throws(PostgresError) {
    var fresh = Contents()
    for record in try connection.run(Apps.all()) {
      fresh.byNumber[record.app.number] = record.app
      fresh.byID[record.app.appID] = record.app
      fresh.byClientKey[record.clientKey] = record.app
      if let former = record.former { fresh.byClientKey[former.clientKey] = record.app }
    }
    fresh.policies = AppPolicies(fresh.byNumber.values)
    // Time zones hardly ever change.
    let isTime = timeZones && generation.isMultiple(of: Operations.Limits.readingsPerTimeZones)
    fresh.timeZones = isTime ? try connection.run(TimeZones.all()) : contents.withLock { $0.timeZones }
    for (hash, key) in try connection.run(Secrets.apiKeys()) { fresh.callers[hash] = Caller(key) }
    contents.withLock { $0 = fresh }
    refreshes.add(1, ordering: .releasing)
  }
}
