internal import Glibc
internal import Postgres
internal import Reactor

/// The server's main process: found alive or started, waited for, stopped.
final class EmbeddedPostgresPostmaster {
  let pid: Int32
  /// True when it was running before we came.
  let isAdopted: Bool
  /// The cluster's directory.
  private let cluster: String
  private let log: String
  let socketDirectory: String
  /// Set when we started it, until it has ended.
  private var child: DetachedProcess?
  /// Length of the log before it started.
  private let logStart: Int

  private init(
    _ cluster: String, log: String, pid: Int32, child: DetachedProcess?, socketDirectory: String, logStart: Int
  ) {
    self.cluster = cluster
    self.log = log
    self.logStart = logStart
    self.pid = pid
    self.child = child
    isAdopted = child == nil
    self.socketDirectory = socketDirectory
  }

  var url: String { url(database: EmbeddedPostgresCluster.database) }

  private func url(database: String) -> String {
    EmbeddedPostgresSocket.url(socketDirectory, database: database)
  }

  // MARK: Finding

  /// The postmaster that runs on this cluster; nil when none does. Removes a pid file that nobody stands behind.
  static func living(in cluster: String, log: String) throws(EmbeddedPostgresError) -> EmbeddedPostgresPostmaster? {
    let path = "\(cluster)/postmaster.pid"
    guard let text = EmbeddedPostgresFiles.text(path) else { return nil }
    guard let file = EmbeddedPostgresPidFile(text) else {
      try EmbeddedPostgresFiles.remove(path)
      return nil
    }
    guard claim(file.pid, cluster) != .isStale else {
      try removeStale(file, path, cluster)
      return nil
    }
    guard let socket = file.socketDirectory else {
      // It has only just started (its starter died): the line comes within milliseconds.
      let isThere = try EmbeddedPostgresPause.until(EmbeddedPostgres.Limits.stopPatience) {
        EmbeddedPostgresFiles.text(path).flatMap { EmbeddedPostgresPidFile($0) }?.socketDirectory != nil
          || claim(file.pid, cluster) == .isStale
      }
      guard isThere else { throw .startTookTooLong(log: log) }
      return try living(in: cluster, log: log)
    }
    let logStart = EmbeddedPostgresFiles.size(of: log)
    return EmbeddedPostgresPostmaster(
      cluster, log: log, pid: file.pid, child: nil, socketDirectory: socket, logStart: logStart)
  }

  /// Two servers on one cluster would destroy it, so a second witness is heard before the pid file goes: nobody may
  /// answer on the socket either.
  private static func removeStale(
    _ file: EmbeddedPostgresPidFile, _ path: String, _ cluster: String
  ) throws(EmbeddedPostgresError) {
    if let socket = file.socketDirectory {
      // A process that is just being killed loses its command line before its sockets.
      let isSilent = try EmbeddedPostgresPause.until(EmbeddedPostgres.Limits.remainsPatience) {
        !EmbeddedPostgresSocket.answers(socket)
      }
      guard isSilent else { throw .usedElsewhere(cluster) }
    }
    EmbeddedPostgresSocket.removeLeftover(file.socketDirectory)
    try EmbeddedPostgresFiles.remove(path)
  }

  private static func claim(_ pid: Int32, _ cluster: String) -> EmbeddedPostgresPidFile.Claim {
    EmbeddedPostgresPidFile.judge(
      commandLine: EmbeddedPostgresFiles.bytes("/proc/\(pid)/cmdline"),
      exists: EmbeddedPostgresFiles.isDirectory("/proc/\(pid)"),
      isCluster: { EmbeddedPostgresFiles.isSame($0, as: cluster) })
  }

  /// False once it has ended.
  var isRunning: Bool {
    guard let child else { return isAdopted && Self.claim(pid, cluster) != .isStale }
    guard child.poll() == nil else {
      self.child = nil
      return false
    }
    return true
  }

  // MARK: Starting

  /// - Parameter formerSocket: the socket's directory of a server that ran before, whose users still look there.
  static func start(
    _ cluster: EmbeddedPostgresCluster, formerSocket: String?
  ) throws(EmbeddedPostgresError) -> EmbeddedPostgresPostmaster {
    try cluster.writeSettings()
    if EmbeddedPostgresFiles.size(of: cluster.place.log) > EmbeddedPostgres.Limits.logBytes {
      try EmbeddedPostgresFiles.remove("\(cluster.place.log).1")
      try EmbeddedPostgresFiles.rename(cluster.place.log, to: "\(cluster.place.log).1")
    }
    var reason = ""
    let clock = SystemClock()
    let deadline = clock.now + EmbeddedPostgres.Limits.remainsPatience
    repeat {
      let postmaster = try spawn(cluster, formerSocket)
      if try postmaster.becomesReady() { return postmaster }
      reason = cluster.place.lastWords(since: postmaster.logStart)
      _ = try EmbeddedPostgresPause.until(.milliseconds(100)) { false }
    } while reason.contains("shared memory block") && clock.now < deadline
    try cluster.place.checkReach(cluster.path)
    throw .startFailed(reason: reason, log: cluster.place.log)
  }

  private static func spawn(
    _ cluster: EmbeddedPostgresCluster, _ formerSocket: String?
  ) throws(EmbeddedPostgresError)
    -> EmbeddedPostgresPostmaster
  {
    let socket = try EmbeddedPostgresSocket.makeDirectory(cluster.place, former: formerSocket)
    let logStart = EmbeddedPostgresFiles.size(of: cluster.place.log)
    let words = [
      cluster.programs.postgres, "-D", cluster.path,
      "-c", "listen_addresses=", "-c", "port=5432", "-c",
      "unix_socket_directories=\(EmbeddedPostgresSocket.quoted(socket))",
      "-c", "unix_socket_permissions=0700",
    ]
    do {
      let child = try DetachedProcess(
        cluster.place.words(words), environment: EmbeddedPostgresCluster.environment, output: cluster.place.log)
      return EmbeddedPostgresPostmaster(
        cluster.path, log: cluster.place.log, pid: child.pid, child: child, socketDirectory: socket,
        logStart: logStart)
    } catch {
      throw .system(error)
    }
  }

  /// Waits until it answers and has our database. False when it ends first.
  func becomesReady() throws(EmbeddedPostgresError) -> Bool {
    let clock = SystemClock()
    let deadline = clock.now + EmbeddedPostgres.Limits.answerPatience
    var isReady = false
    let isDecided = try EmbeddedPostgresPause.until(EmbeddedPostgres.Limits.startPatience) {
      () throws(EmbeddedPostgresError) in
      guard let refusal = try refusal() else {
        isReady = true
        return true
      }
      // It says so itself while it starts, recovers or shuts down; anything else should soon be over.
      let isUnderWay = refusal.description.contains("the database system is ")
      guard isUnderWay || clock.now < deadline || !isRunning else { throw .refused(refusal) }
      return !isRunning
    }
    guard isDecided else { throw .startTookTooLong(log: log) }
    return isReady
  }

  /// Why it does not let us in; nil when it does.
  private func refusal() throws(EmbeddedPostgresError) -> PostgresError? {
    do {
      _ = try Connection(url)
      return nil
    } catch {
      let name = EmbeddedPostgresCluster.database
      if error.description.contains("database \"\(name)\" does not exist") { return try makeDatabase() }
      // This does not get better by waiting.
      if error.description.contains("authentication failed") { throw .refused(error) }
      return error
    }
  }

  private func makeDatabase() throws(EmbeddedPostgresError) -> PostgresError? {
    do {
      try Connection(url(database: "postgres")).script("CREATE DATABASE \(EmbeddedPostgresCluster.database)")
      return nil
    } catch {
      throw .refused(error)
    }
  }

  // MARK: Stopping

  /// Fast shutdown: sessions are cut, everything is written. Waits until the process has ended.
  func stop() throws(EmbeddedPostgresError) {
    for signal in [SIGINT, SIGQUIT] {
      if isRunning { kill(pid, signal) }
      if try EmbeddedPostgresPause.until(EmbeddedPostgres.Limits.stopPatience, { !isRunning }) {
        return EmbeddedPostgresSocket.removeLeftover(socketDirectory)
      }
    }
    throw .stopTookTooLong(pid: pid)
  }
}
