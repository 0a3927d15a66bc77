internal import Postgres
internal import Reactor

/// Coordinates the processes that start, stop and use the private database.
///
/// Two lock files: `postgres.lock` is held exclusively while the server is started or stopped; `postgres.users` is held
/// shared by every user, so a process that gets it exclusively is the last one. The kernel releases both when a process
/// dies.
final class ClusterLock {
  private let change: FileLock
  private let users: FileLock
  /// Names the PID namespace of the process that started the server.
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

  /// Stops being a user. Returns true when there is no other one: the users' lock is then held exclusively until
  /// `unlockUsers`.
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

  /// Containers that share a data directory do not see each other's processes, so a living server looks dead. But its
  /// users hold their lock.
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
    // Without it the check above errs on the safe side.
    try? Files.write(Self.namespace, to: namespaceFile, for: nil)
  }

  private static var namespace: String {
    Files.target(ofLink: "/proc/self/ns/pid") ?? ""
  }
}
