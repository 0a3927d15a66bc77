internal import Glibc
internal import Postgres
internal import Reactor

/// The server's main process: finds or starts it, waits until it is ready, and stops it.
final class Postmaster {
  let pid: Int32
  /// True if the server was running already.
  let isAdopted: Bool
  /// The directory of the cluster.
  private let cluster: String
  private let log: String
  let socketDirectory: String
  /// The process handle if this object has started it; nil if adopted or ended.
  private var child: DetachedProcess?
  /// The size of the log before the start, in bytes.
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

  var url: String { url(database: Cluster.database) }

  private func url(database: String) -> String {
    SocketPath.url(socketDirectory, database: database)
  }

  // MARK: Finding

  /// Returns the running postmaster of this cluster; nil if there is none. Removes a stale pid file.
  static func living(in cluster: String, log: String) throws(EmbeddedPostgresError) -> Postmaster? {
    let path = "\(cluster)/postmaster.pid"
    guard let text = Files.text(path) else { return nil }
    guard let file = PidFile(text) else {
      try Files.remove(path)
      return nil
    }
    guard claim(file.pid, cluster) != .isStale else {
      try removeStale(file, path, cluster)
      return nil
    }
    guard let socket = file.socketDirectory else {
      // The server has only just started, by a process that died since: the line appears within milliseconds.
      let isThere = Polling.until(Limits.stopTimeout, every: Limits.pause) {
        Files.text(path).flatMap { PidFile($0) }?.socketDirectory != nil
          || claim(file.pid, cluster) == .isStale
      }
      guard isThere else { throw .startTookTooLong(log: log) }
      return try living(in: cluster, log: log)
    }
    let logStart = Files.size(of: log)
    return Postmaster(
      cluster, log: log, pid: file.pid, child: nil, socketDirectory: socket, logStart: logStart)
  }

  /// Removes a pid file after checking a second time, by the socket, that no server runs: two servers on one cluster
  /// would destroy it.
  private static func removeStale(
    _ file: PidFile, _ path: String, _ cluster: String
  ) throws(EmbeddedPostgresError) {
    if let socket = file.socketDirectory {
      // The command line of a process that is being killed disappears before its sockets.
      let isSilent = Polling.until(Limits.remainsTimeout, every: Limits.pause) {
        !SocketPath.answers(socket)
      }
      guard isSilent else { throw .usedElsewhere(cluster) }
    }
    SocketPath.removeLeftover(file.socketDirectory)
    try Files.remove(path)
  }

  private static func claim(_ pid: Int32, _ cluster: String) -> PidFile.Claim {
    PidFile.judge(
      commandLine: Files.bytes("/proc/\(pid)/cmdline"),
      exists: Files.isDirectory("/proc/\(pid)"),
      isCluster: { Files.isSame($0, as: cluster) })
  }

  /// False once the process has ended.
  var isRunning: Bool {
    guard let child else { return isAdopted && Self.claim(pid, cluster) != .isStale }
    guard child.poll() == nil else {
      self.child = nil
      return false
    }
    return true
  }

  // MARK: Starting

  /// Starts the server and waits until it accepts connections.
  /// - Parameter formerSocket: socket directory of a previous server, to which its users still connect.
  static func start(
    _ cluster: Cluster, formerSocket: String?
  ) throws(EmbeddedPostgresError) -> Postmaster {
    try cluster.writeSettings()
    if Files.size(of: cluster.place.log) > Limits.logBytes {
      try Files.remove("\(cluster.place.log).1")
      try Files.rename(cluster.place.log, to: "\(cluster.place.log).1")
    }
    var reason = ""
    let clock = SystemClock()
    let deadline = clock.now + Limits.remainsTimeout
    repeat {
      let postmaster = try spawn(cluster, formerSocket)
      if try postmaster.becomesReady() { return postmaster }
      reason = cluster.place.lastLogLines(since: postmaster.logStart)
      Polling.rest(.milliseconds(100))
    } while reason.contains("shared memory block") && clock.now < deadline
    try cluster.place.checkReach(cluster.path)
    throw .startFailed(reason: reason, log: cluster.place.log)
  }

  private static func spawn(
    _ cluster: Cluster, _ formerSocket: String?
  ) throws(EmbeddedPostgresError)
    -> Postmaster
  {
    let socket = try SocketPath.makeDirectory(cluster.place, former: formerSocket)
    let logStart = Files.size(of: cluster.place.log)
    let words = [
      cluster.programs.postgres, "-D", cluster.path,
      "-c", "listen_addresses=", "-c", "port=5432", "-c",
      "unix_socket_directories=\(SocketPath.quoted(socket))",
      "-c", "unix_socket_permissions=0700",
    ]
    do {
      let child = try DetachedProcess(
        cluster.place.words(words), environment: Programs.environment, output: cluster.place.log)
      return Postmaster(
        cluster.path, log: cluster.place.log, pid: child.pid, child: child, socketDirectory: socket,
        logStart: logStart)
    } catch {
      throw .system(error)
    }
  }

  /// Waits until the server accepts connections and our database exists. Returns false if the process ends first.
  func becomesReady() throws(EmbeddedPostgresError) -> Bool {
    let clock = SystemClock()
    let deadline = clock.now + Limits.answerTimeout
    var isReady = false
    let isDecided = try Polling.until(Limits.startTimeout, every: Limits.pause) {
      () throws(EmbeddedPostgresError) in
      guard let refusal = try refusal() else {
        isReady = true
        return true
      }
      // PostgreSQL reports starting, recovery and shutdown this way; any other refusal should end soon.
      let isUnderWay = refusal.description.contains("the database system is ")
      guard isUnderWay || clock.now < deadline || !isRunning else { throw .refused(refusal) }
      return !isRunning
    }
    guard isDecided else { throw .startTookTooLong(log: log) }
    return isReady
  }

  /// Tries to connect, and creates our database if it is missing. Returns the error; nil once connected.
  private func refusal() throws(EmbeddedPostgresError) -> PostgresError? {
    do {
      _ = try Connection(url)
      return nil
    } catch {
      let name = Cluster.database
      if error.description.contains("database \"\(name)\" does not exist") { return try makeDatabase() }
      // Waiting does not help against this error.
      if error.description.contains("authentication failed") { throw .refused(error) }
      return error
    }
  }

  private func makeDatabase() throws(EmbeddedPostgresError) -> PostgresError? {
    do {
      try Connection(url(database: "postgres")).script("CREATE DATABASE \(Cluster.database)")
      return nil
    } catch {
      throw .refused(error)
    }
  }

  // MARK: Stopping

  /// Performs a fast shutdown, which ends all sessions and writes all data. Waits until the process has ended.
  func stop() throws(EmbeddedPostgresError) {
    for signal in [SIGINT, SIGQUIT] {
      if isRunning { kill(pid, signal) }
      if Polling.until(Limits.stopTimeout, every: Limits.pause, { !isRunning }) {
        return SocketPath.removeLeftover(socketDirectory)
      }
    }
    throw .stopTookTooLong(pid: pid)
  }
}
