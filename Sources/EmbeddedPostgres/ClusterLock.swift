internal import Postgres
internal import Reactor

/// Who may start and stop the private database, and who uses it.
///
/// Two lock files: `postgres.lock` is held alone while the server is started or stopped; `postgres.users` is held
/// shared by every user, so that whoever can take it alone is the last. The kernel gives both back when a process dies.
final class ClusterLock {
  private let change: FileLock
  private let users: FileLock
  /// Names the PID namespace of whoever started the server.
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

  /// Waits for the right to start or stop the server.
  func beginChange() throws(EmbeddedPostgresError) {
    let isTaken = Polling.until(Limits.lockTimeout, every: Limits.pause) { change.tryExclusive() }
    guard isTaken else { throw .locked(change.path) }
  }

  func endChange() {
    change.unlock()
  }

  /// Becomes a user. Under the change lock it always succeeds.
  func join() -> Bool {
    isUser = users.tryShared()
    return isUser
  }

  /// Stops being a user. True when nobody else is one: the users' lock is then held alone until `unlockUsers`.
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

  /// Two containers that share a data directory do not see each other's processes, so a living server looks dead.
  /// But its users hold their lock.
  var isUsedFromAnotherNamespace: Bool {
    if users.tryExclusive() {
      if isUser { _ = users.tryShared() } else { users.unlock() }
      return false
    }
    // The attempt may have cost us our own share of the lock.
    if isUser { _ = users.tryShared() }
    return Files.text(namespaceFile) != Self.namespace
  }

  func recordNamespace() {
    // Without it the check above only errs on the safe side.
    try? Files.write(Self.namespace, to: namespaceFile, for: nil)
  }

  private static var namespace: String {
    Files.target(ofLink: "/proc/self/ns/pid") ?? ""
  }
}
