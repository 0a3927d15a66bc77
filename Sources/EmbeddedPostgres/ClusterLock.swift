internal import Postgres
internal import Reactor

/// Coordinates the processes that start, stop and use the private database, by two lock files.
///
/// `postgres.lock` is held exclusively while the server is started or stopped. `postgres.users` is held shared by every
/// process that uses the server, so a process that can lock it exclusively is the only one. The kernel releases both
/// when a process ends.
final class ClusterLock {
  private let change: FileLock
  private let users: FileLock
  /// The path of the file with the PID namespace of the process that started the server.
  private let namespaceFile: String
  private var isUser = false

  var usersPath: String { users.path }

  init(_ place: ClusterPlace) throws(EmbeddedPostgresError) {
    namespaceFile = "\(place.base)/postgres.namespace"
    do {
      change = try FileLock(path: "\(place.base)/postgres.lock")
      users = try FileLock(path: "\(place.base)/postgres.users")
    } catch {
      throw .cannotWrite(path: error.subject, reason: error.description)
    }
  }

  /// Acquires the exclusive right to start or stop the server; waits for other processes.
  func beginChange() throws(EmbeddedPostgresError) {
    let isTaken = Polling.until(Limits.lockTimeout, every: Limits.pause) { change.tryExclusive() }
    guard isTaken else { throw .locked(change.path) }
  }

  func endChange() {
    change.unlock()
  }

  /// Registers this process as a user of the server. Returns true on success, which is certain while the change lock is
  /// held.
  func join() -> Bool {
    isUser = users.tryShared()
    return isUser
  }

  /// Ends this process's use of the server. Returns true if there is no other user; then the lock file of the users is
  /// locked exclusively until `unlockUsers`.
  func leave() -> Bool {
    isUser = false
    if users.tryExclusive() { return true }
    users.unlock()
    return false
  }

  func unlockUsers() {
    users.unlock()
  }

  // MARK: Containers

  /// True if processes of another PID namespace (a container that shares the data directory) use the server: this
  /// process cannot see them, so a running server looks dead, but its users hold their lock.
  var isUsedFromAnotherNamespace: Bool {
    if users.tryExclusive() {
      if isUser { _ = users.tryShared() } else { users.unlock() }
      return false
    }
    // The attempt may have released our own shared lock.
    if isUser { _ = users.tryShared() }
    return Files.text(namespaceFile) != Self.namespace
  }

  func recordNamespace() {
    // If this fails, the check above errs on the safe side.
    try? Files.write(Self.namespace, to: namespaceFile, for: nil)
  }

  private static var namespace: String {
    Files.target(ofLink: "/proc/self/ns/pid") ?? ""
  }
}
