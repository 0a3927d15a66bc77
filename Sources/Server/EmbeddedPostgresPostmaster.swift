internal import Glibc
internal import Postgres
internal import Reactor

/// The server's main process: found alive or started, waited for, stopped.
final class EmbeddedPostgresPostmaster {
  let pid: Int32
  /// True when it was running before we came.
  let isAdopted: Bool
  private let cluster: EmbeddedPostgresCluster
  private let socketDirectory: String
  /// Set when we started it, until it has ended.
  private var child: DetachedProcess?
  /// Length of the log before it started.
  private let logStart: Int

  private init(
    _ cluster: EmbeddedPostgresCluster, pid: Int32, child: DetachedProcess?, socketDirectory: String, logStart: Int
  ) {
    self.cluster = cluster
    self.pid = pid
    self.child = child
    isAdopted = child == nil
    self.socketDirectory = socketDirectory
    self.logStart = logStart
  }

  var url: String { url(database: EmbeddedPostgresCluster.database) }

  private func url(database: String) -> String {
    let host = socketDirectory.utf8.map { byte in
      let isPlain = byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
      let isLetter = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      return isPlain || isLetter ? String(Unicode.Scalar(byte)) : "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
    }
    // The port is part of the socket's name; without it PGPORT of the environment would count.
    return "postgresql://\(EmbeddedPostgresCluster.role)@/\(database)?host=\(host.joined())&port=5432"
  }

  // MARK: Finding

  /// The postmaster that runs on this cluster; nil when none does. Removes a pid file that nobody stands behind.
  static func living(in cluster: EmbeddedPostgresCluster) throws(EmbeddedPostgresError) -> EmbeddedPostgresPostmaster? {
    let path = "\(cluster.path)/postmaster.pid"
    guard let text = EmbeddedPostgresFiles.text(path) else { return nil }
    guard let file = EmbeddedPostgresPidFile(text), claim(file.pid, cluster) != .isStale else {
      EmbeddedPostgresSocket.removeLeftover(EmbeddedPostgresPidFile(text)?.socketDirectory)
      try EmbeddedPostgresFiles.remove(path)
      return nil
    }
    guard let socket = file.socketDirectory else {
      // It has only just started (its starter died): the line comes within milliseconds.
      let isThere = try EmbeddedPostgresPause.until(EmbeddedPostgres.Limits.stopPatience) {
        EmbeddedPostgresFiles.text(path).flatMap { EmbeddedPostgresPidFile($0) }?.socketDirectory != nil
          || claim(file.pid, cluster) == .isStale
      }
      guard isThere else { throw .startTookTooLong(log: cluster.place.log) }
      return try living(in: cluster)
    }
    let size = EmbeddedPostgresFiles.size(of: cluster.place.log)
    return EmbeddedPostgresPostmaster(cluster, pid: file.pid, child: nil, socketDirectory: socket, logStart: size)
  }

  private static func claim(_ pid: Int32, _ cluster: EmbeddedPostgresCluster) -> EmbeddedPostgresPidFile.Claim {
    EmbeddedPostgresPidFile.judge(
      commandLine: EmbeddedPostgresFiles.bytes("/proc/\(pid)/cmdline"),
      exists: EmbeddedPostgresFiles.isDirectory("/proc/\(pid)"),
      isCluster: { EmbeddedPostgresFiles.areSame($0, cluster.path) })
  }

  /// False once it has ended.
  var isRunning: Bool {
    guard let child else { return Self.claim(pid, cluster) != .isStale }
    guard child.poll() == nil else {
      self.child = nil
      return false
    }
    return true
  }

  // MARK: Starting

  static func start(
    _ cluster: EmbeddedPostgresCluster, _ report: (String) -> Void
  ) throws(EmbeddedPostgresError) -> EmbeddedPostgresPostmaster {
    try cluster.writeSettings()
    if EmbeddedPostgresFiles.size(of: cluster.place.log) > EmbeddedPostgres.Limits.logBytes {
      try EmbeddedPostgresFiles.remove("\(cluster.place.log).1")
      try EmbeddedPostgresFiles.rename(cluster.place.log, to: "\(cluster.place.log).1")
    }
    var reason = ""
    // Children of a postmaster that was killed hold its memory until they notice: a second or two.
    let clock = SystemClock()
    let deadline = clock.now + .seconds(10)
    repeat {
      let postmaster = try spawn(cluster)
      if try postmaster.becomesReady() { return postmaster }
      reason = cluster.place.lastWords(since: postmaster.logStart)
      _ = try EmbeddedPostgresPause.until(.milliseconds(100)) { false }
    } while reason.contains("shared memory block") && clock.now < deadline
    throw .startFailed(reason: reason, log: cluster.place.log)
  }

  private static func spawn(_ cluster: EmbeddedPostgresCluster) throws(EmbeddedPostgresError)
    -> EmbeddedPostgresPostmaster
  {
    let socket = try EmbeddedPostgresSocket.makeDirectory(cluster.place)
    let logStart = EmbeddedPostgresFiles.size(of: cluster.place.log)
    let words = [
      cluster.programs.postgres, "-D", cluster.path,
      "-c", "listen_addresses=", "-c", "port=5432", "-c", "unix_socket_directories=\"\(socket)\"",
      "-c", "unix_socket_permissions=0700",
    ]
    do {
      let child = try DetachedProcess(
        cluster.place.words(words), environment: EmbeddedPostgresCluster.environment, output: cluster.place.log)
      return EmbeddedPostgresPostmaster(
        cluster, pid: child.pid, child: child, socketDirectory: socket, logStart: logStart)
    } catch {
      throw .system(error)
    }
  }

  /// Waits until it answers and has our database. False when it ends first.
  func becomesReady() throws(EmbeddedPostgresError) -> Bool {
    var isReady = false
    let isDecided = try EmbeddedPostgresPause.until(EmbeddedPostgres.Limits.startPatience) {
      () throws(EmbeddedPostgresError) in
      isReady = try answers()
      return isReady || !isRunning
    }
    guard isDecided else { throw .startTookTooLong(log: cluster.place.log) }
    return isReady
  }

  private func answers() throws(EmbeddedPostgresError) -> Bool {
    do {
      _ = try Connection(url)
      return true
    } catch {
      if error.description.contains("database \"\(EmbeddedPostgresCluster.database)\" does not exist") {
        return try makeDatabase()
      }
      // Anything else a starting server says resolves itself; that it does not let us in does not.
      guard error.description.contains("authentication failed") else { return false }
      throw .refused(error)
    }
  }

  private func makeDatabase() throws(EmbeddedPostgresError) -> Bool {
    do {
      try Connection(url(database: "postgres")).script("CREATE DATABASE \(EmbeddedPostgresCluster.database)")
      return true
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
