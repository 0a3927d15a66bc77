internal import Reactor

/// The private database: a PostgreSQL server that `upmc` creates, runs and stops by itself when no `UPMC_DATABASE_URL`
/// is given.
///
/// ```
///   UPMC_DATA_DIR/                     or, where the server's user cannot reach that, /var/lib/upmc/<hash>/
///     postgres/            the cluster     (then UPMC_DATA_DIR/postgres.location names it)
///     postgres.new/        a cluster being created; renamed to `postgres` when it is complete
///     postgres.socket/     the socket, or a short directory under /tmp where this path is too long
///     postgres.lock        held while a process starts or stops the server
///     postgres.users       held shared by every process that uses it: the last one to release it stops the server
///     postgres.log         what it says; beyond 10 MB it goes on anew, and postgres.log.1 holds the former part
/// ```
///
/// ```
///                    ┌── no cluster ──► initdb beside, rename ──┐
///   start: lock ─────┤                                          ├──► start ──┐
///                    ├── cluster, no living postmaster ─────────┘            ├──► connect ──► join ──► unlock
///                    └── a living postmaster of this cluster ──► adopt ──────┘
///   stop:  lock ─────┬── others use it ──► release ───────────┐
///                    └── last user ──► fast shutdown, wait ───┴──► unlock
/// ```
///
/// Invariants:
/// - At most one postmaster runs on a cluster: a pid file is removed only when its process is certainly not a
///   postmaster of this directory.
/// - `postgres/` is complete at every instant: it appears by a rename.
/// - Only root, the server's user and the user who created the cluster can connect: there is no TCP, the socket's
///   directory is closed to others, and the server asks the kernel who is calling (`peer`).
/// - Nothing that may hold data is ever deleted: what is in the way is renamed.
///
/// Failure: when `upmc` dies by `kill -9` the server lives on and the next start adopts it. When the server dies,
/// `ensureRunning` restarts it. Every error says what happened and what to do.
package enum EmbeddedPostgres {
  /// Creates the private database if there is none, starts its server if it is not running, and registers this process
  /// as a user.
  /// - Parameter report: called with a sentence about each slow or unusual step.
  package static func start(
    _ configuration: EmbeddedPostgresConfiguration, report: @escaping (String) -> Void = { _ in }
  ) throws(EmbeddedPostgresError) -> Handle {
    let place = try ClusterPlace(configuration, report)
    let lock = try ClusterLock(place)
    try lock.beginChange()
    defer { lock.endChange() }
    if place.isUnbound { try setOrphanAside(place, report) }
    let cluster = try Cluster(place, programs: configuration.programs)
    try cluster.makeIfMissing(syncs: configuration.syncsNewCluster, report)
    let running = try run(cluster, lock)
    guard lock.join() else { throw .locked(lock.usersPath) }
    return Handle(cluster, lock, running)
  }

  /// Calls `start` with the default configuration.
  package static func start(dataDirectory: String) throws(EmbeddedPostgresError) -> Handle {
    try start(EmbeddedPostgresConfiguration(dataDirectory: dataDirectory))
  }

  /// Renames a cluster stored elsewhere whose data directory was removed and created again at the same path, so that
  /// the new database starts empty and the old data is kept.
  private static func setOrphanAside(
    _ place: ClusterPlace, _ report: (String) -> Void
  ) throws(EmbeddedPostgresError) {
    if Files.exists(place.cluster) {
      try Postmaster.living(in: place.cluster, log: place.log)?.stop()
      let aside = try Files.setAside(place.cluster, "orphan")
      report("the private database of a data directory that was removed is now \(aside)")
    }
    try place.bind()
  }

  /// Adopts or starts the postmaster and waits until it accepts connections. The caller must hold the lock.
  fileprivate static func run(
    _ cluster: Cluster, _ lock: ClusterLock, formerSocket: String? = nil
  ) throws(EmbeddedPostgresError) -> Postmaster {
    while let living = try Postmaster.living(in: cluster.path, log: cluster.place.log) {
      // A postmaster that is shutting down ends during the wait; then start a new one.
      if try living.becomesReady() { return living }
    }
    guard !lock.isUsedFromAnotherNamespace else { throw .usedElsewhere(cluster.path) }
    let started = try Postmaster.start(cluster, formerSocket: formerSocket)
    lock.recordNamespace()
    return started
  }
}

extension EmbeddedPostgres {
  /// A running private database that this process uses. For one thread.
  package final class Handle {
    /// The URL to connect to, for `Connection` and `PipelinedConnection`.
    package var url: String { postmaster.url }
    /// True if the postmaster was running already.
    package var wasAdopted: Bool { postmaster.isAdopted }
    /// The postmaster's process id.
    package var pid: Int32 { postmaster.pid }

    private let cluster: Cluster
    private let lock: ClusterLock
    private var postmaster: Postmaster
    private var isStopped = false

    fileprivate init(
      _ cluster: Cluster, _ lock: ClusterLock, _ postmaster: Postmaster
    ) {
      self.cluster = cluster
      self.lock = lock
      self.postmaster = postmaster
    }

    /// Restarts the server if it has died, and returns true if it did; keeps its log small. Cheap if the server is
    /// running: call it regularly. `url` does not change.
    @discardableResult
    package func ensureRunning() throws(EmbeddedPostgresError) -> Bool {
      guard !isStopped else { return false }
      cluster.place.trimLog()
      guard !postmaster.isRunning else { return false }
      try lock.beginChange()
      defer { lock.endChange() }
      postmaster = try EmbeddedPostgres.run(cluster, lock, formerSocket: postmaster.socketDirectory)
      return true
    }

    /// Ends this process's use of the server. If it was the last user, stops the server and waits until it has ended.
    /// Close all connections before, because the shutdown would cut them off. Returns true if the server was stopped,
    /// false if other processes use it.
    @discardableResult
    package func stop() throws(EmbeddedPostgresError) -> Bool {
      guard !isStopped else { return false }
      isStopped = true
      try lock.beginChange()
      defer { lock.endChange() }
      guard lock.leave() else { return false }
      defer { lock.unlockUsers() }
      try postmaster.stop()
      return true
    }
  }
}
