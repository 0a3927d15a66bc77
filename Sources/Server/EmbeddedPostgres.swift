internal import Reactor

/// The private database: a PostgreSQL server that `upmc` makes, runs and stops by itself when no
/// `UPMC_DATABASE_URL` is given.
///
/// ```
///   UPMC_DATA_DIR/                     or, where the server's user cannot reach that, /var/lib/upmc/<hash>/
///     postgres/            the cluster     (then UPMC_DATA_DIR/postgres.location names it)
///     postgres.new/        a cluster being made; renamed to `postgres` when it is complete
///     postgres.socket/     the socket, or a short directory under /tmp where this path is too long
///     postgres.lock        held while somebody starts or stops the server
///     postgres.users       held shared by everybody who uses it: the last one to let go stops it
///     postgres.log
/// ```
///
/// ```
///                    ┌── no cluster ──► initdb beside, rename ──┐
///   start: lock ─────┤                                          ├──► start ──┐
///                    ├── cluster, no living postmaster ─────────┘            ├──► connect ──► join ──► unlock
///                    └── a living postmaster of this cluster ──► adopt ──────┘
///   stop:  lock ──── others use it? ── yes ──► let go ── no ──► fast shutdown, wait ──► unlock
/// ```
///
/// Invariants:
/// - At most one postmaster runs on a cluster: a pid file is removed only when its process is certainly not a postmaster
///   of this directory.
/// - `postgres/` is complete at every instant: it appears by a rename.
/// - Nobody but root, the server's user and the user who made the cluster gets in: there is no TCP, the socket's
///   directory is closed to others, and the server asks the kernel who is calling (`peer`).
/// - Nothing that may hold data is ever deleted: what is in the way is renamed.
///
/// Failure: when `upmc` dies by `kill -9` the server lives on and the next start adopts it. When the server dies,
/// `ensureRunning` starts it again. Every error says what happened and what to do.
package enum EmbeddedPostgres {
  /// Numbers of the private database: unit, reason, source.
  package enum Limits {
    /// Longest path of a Unix socket, bytes (`unix(7)`: 108 with the terminator).
    static let socketPathBytes = 107
    /// How often a server that is starting or stopping is looked at: a fraction of the 50 ms a start takes.
    static let pause: Duration = .milliseconds(3)
    /// Starting may include the recovery of `max_wal_size` bytes of log after a crash.
    static let startPatience: Duration = .seconds(600)
    /// A server that runs but neither answers nor says why has its socket within milliseconds; this is for a machine
    /// under heavy load.
    static let answerPatience: Duration = .seconds(60)
    /// What a killed server leaves (its socket, its memory in its children's hands) is gone within a second or two.
    static let remainsPatience: Duration = .seconds(10)
    /// Asking whether a user reaches a directory: two programs, on a machine under load.
    static let probePatience: Duration = .seconds(30)
    /// Making a cluster takes a second or two; ten minutes mean a disk that does not answer.
    static let initdbPatience: Duration = .seconds(600)
    /// Another `upmc` that starts or stops the server is waited for this long: making a cluster takes seconds.
    static let lockPatience: Duration = .seconds(120)
    /// A fast shutdown writes all dirty buffers; after this long the server is told to stop at once (and recovers at
    /// its next start).
    static let stopPatience: Duration = .seconds(60)
    /// A log larger than this is moved to `postgres.log.1` at the next start, bytes.
    static let logBytes = 10 << 20
  }

  /// What the private database is made and run with.
  package struct Configuration: Sendable {
    /// `UPMC_DATA_DIR`, relative or absolute; made when it is not there.
    package var dataDirectory: String
    /// The user that runs the server when `upmc` is started by root. Absent: the owner of the cluster, else `postgres`,
    /// else `nobody`.
    package var user: String?
    /// Where `initdb` and `postgres` are. Absent: the usual places.
    package var programs: String?
    /// Where clusters lie whose data directory the server's user cannot reach.
    package var fallbackDirectory = "/var/lib/upmc"
    /// Whether making a cluster waits until it is on the disk. Only tests do without.
    var syncsNewCluster = true

    package init(dataDirectory: String) {
      self.dataDirectory = dataDirectory
    }
  }

  /// Makes the private database when there is none, starts it when it does not run, and joins its users.
  /// - Parameter report: told in a sentence what takes long or is unusual.
  package static func start(
    _ configuration: Configuration, report: @escaping (String) -> Void = { _ in }
  ) throws(EmbeddedPostgresError) -> Handle {
    let place = try EmbeddedPostgresPlace(configuration, report)
    let lock = try EmbeddedPostgresLock(place)
    try lock.beginChange()
    defer { lock.endChange() }
    if place.isUnbound { try setOrphanAside(place, report) }
    let cluster = try EmbeddedPostgresCluster(place, programs: configuration.programs)
    try cluster.makeIfMissing(syncs: configuration.syncsNewCluster, report)
    let running = try run(cluster, lock)
    guard lock.join() else { throw .locked(lock.usersPath) }
    return Handle(cluster, lock, running)
  }

  /// `start` with nothing but the directory.
  package static func start(dataDirectory: String) throws(EmbeddedPostgresError) -> Handle {
    try start(Configuration(dataDirectory: dataDirectory))
  }

  /// A data directory of this path was removed, but its cluster elsewhere was not: the new one starts empty, as asked.
  private static func setOrphanAside(
    _ place: EmbeddedPostgresPlace, _ report: (String) -> Void
  ) throws(EmbeddedPostgresError) {
    if EmbeddedPostgresFiles.exists(place.cluster) {
      try EmbeddedPostgresPostmaster.living(in: place.cluster, log: place.log)?.stop()
      let aside = try EmbeddedPostgresFiles.setAside(place.cluster, "orphan")
      report("the private database of a data directory that was removed is now \(aside)")
    }
    try place.bind()
  }

  /// Adopts or starts the postmaster and waits until it answers. Under the lock.
  fileprivate static func run(
    _ cluster: EmbeddedPostgresCluster, _ lock: EmbeddedPostgresLock, formerSocket: String? = nil
  ) throws(EmbeddedPostgresError) -> EmbeddedPostgresPostmaster {
    while let living = try EmbeddedPostgresPostmaster.living(in: cluster.path, log: cluster.place.log) {
      // One that is just shutting down ends while we wait; then it is started anew.
      if try living.becomesReady() { return living }
    }
    guard !lock.isUsedFromAnotherNamespace else { throw .usedElsewhere(cluster.path) }
    let started = try EmbeddedPostgresPostmaster.start(cluster, formerSocket: formerSocket)
    lock.recordNamespace()
    return started
  }
}

extension EmbeddedPostgres {
  /// A running private database that this process uses. One thread.
  package final class Handle {
    /// Where to connect, for `Connection` and `PipelinedConnection`.
    package var url: String { postmaster.url }
    /// The postmaster was running already.
    package var wasAdopted: Bool { postmaster.isAdopted }
    /// The postmaster's process.
    package var pid: Int32 { postmaster.pid }

    private let cluster: EmbeddedPostgresCluster
    private let lock: EmbeddedPostgresLock
    private var postmaster: EmbeddedPostgresPostmaster
    private var isStopped = false

    fileprivate init(
      _ cluster: EmbeddedPostgresCluster, _ lock: EmbeddedPostgresLock, _ postmaster: EmbeddedPostgresPostmaster
    ) {
      self.cluster = cluster
      self.lock = lock
      self.postmaster = postmaster
    }

    /// Starts the server again when it has died. Cheap when it runs: call it now and then.
    /// - Returns: true when it had to be started. `url` stays what it was.
    @discardableResult
    package func ensureRunning() throws(EmbeddedPostgresError) -> Bool {
      guard !isStopped, !postmaster.isRunning else { return false }
      try lock.beginChange()
      defer { lock.endChange() }
      postmaster = try EmbeddedPostgres.run(cluster, lock, formerSocket: postmaster.socketDirectory)
      return true
    }

    /// Lets go of the server; the last user stops it and waits until it has ended. Close the connections first: they
    /// would be cut.
    /// - Returns: true when the server was stopped, false when others still use it.
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
