internal import Postgres
internal import Reactor

/// Creates the private database's files (a PostgreSQL cluster) and maintains their configuration.
struct Cluster {
  let place: ClusterPlace
  let programs: Programs

  /// The cluster's directory, which PostgreSQL calls PGDATA.
  var path: String { place.cluster }

  init(_ place: ClusterPlace, programs: String?) throws(EmbeddedPostgresError) {
    self.place = place
    let version = Files.text("\(place.cluster)/PG_VERSION")?.split(separator: "\n").first
    self.programs = try Programs(configured: programs, version: version.map(String.init))
  }

  /// True if the cluster is complete: `global/pg_control` is among the last files that initdb writes, and no server
  /// starts without it.
  private var isComplete: Bool {
    Files.exists("\(path)/PG_VERSION") && Files.exists("\(path)/global/pg_control")
  }

  /// Creates the cluster in a temporary directory and renames it, so that `path` is always complete.
  func makeIfMissing(syncs: Bool, _ report: (String) -> Void) throws(EmbeddedPostgresError) {
    guard !isComplete else { return }
    try place.checkReach(place.base)
    report("making the private database in \(path)")
    if Files.exists(path) {
      let aside = try Files.setAside(path, "incomplete")
      report("what was in \(path) is no complete database and is now \(aside)")
    }
    // An earlier, interrupted attempt: incomplete, so it holds no data.
    try Files.remove(place.freshCluster)
    try Files.makeDirectory(place.freshCluster, mode: 0o700, for: place.fileOwner)
    try runInitdb(syncs: syncs)
    try writeAccess()
    try Files.rename(place.freshCluster, to: path)
  }

  private func runInitdb(syncs: Bool) throws(EmbeddedPostgresError) {
    let words = [
      programs.initdb, "-D", place.freshCluster, "--username=\(Self.role)", "--encoding=UTF8",
      // Sort text by bytes, so that indexes do not depend on the machine's locale, but classify letters by Unicode.
      "--locale=C", "--lc-ctype=C.UTF-8", "--data-checksums", "--auth=reject", "--no-instructions",
    ]
    do {
      let report = try ChildProcess.run(
        place.words(syncs ? words : words + ["--no-sync"]), environment: Programs.environment, withErrors: true,
        atMost: Limits.initdbTimeout)
      guard !report.succeeded else { return }
      let lines = report.text.split(separator: "\n")
      let reason = lines.last { $0.contains("error:") } ?? lines.last ?? "initdb ended without a word"
      throw EmbeddedPostgresError.initdbFailed(reason: String(reason))
    } catch let error as EmbeddedPostgresError {
      throw error
    } catch {
      throw .initdbFailed(reason: "\(error)")
    }
  }

  /// Writes the access rules: only over the socket, and only for users identified by the kernel.
  private func writeAccess() throws(EmbeddedPostgresError) {
    let names = Set(["root", place.account.name]).sorted()
    let fresh = place.freshCluster
    let owner = place.fileOwner
    try Files.write(
      "# Written by upmc when this database was made.\nlocal all all peer map=upmc\n", to: "\(fresh)/pg_hba.conf",
      for: owner)
    try Files.write(
      "# Written by upmc: users of this machine who may connect.\n"
        + names.map { "upmc \"\($0)\" \(Self.role)\n" }.joined(),
      to: "\(fresh)/pg_ident.conf", for: owner)
    let own = Files.text("\(fresh)/postgresql.conf") ?? ""
    try Files.write(
      own + "\n# Computed from the machine at every start. What you write below wins.\ninclude_if_exists 'upmc.conf'\n",
      to: "\(fresh)/postgresql.conf", for: owner)
    try Files.write("", to: "\(fresh)/upmc.conf", for: owner)
  }

  /// Writes the settings that depend on the machine.
  func writeSettings() throws(EmbeddedPostgresError) {
    let settings = Settings(machine: .read(diskOf: path))
    let text = settings.text
    // Write only if the text has changed, because an atomic write is a file-system commit.
    guard Files.text("\(path)/upmc.conf") != text else { return }
    try Files.write(text, to: "\(path)/upmc.conf", for: place.fileOwner)
  }

  /// The name of the role that upmc uses.
  static let role = "upmc"
  /// The name of the database that upmc uses.
  static let database = "upmc"
}

extension ClusterPlace {
  /// Moves the content of the running server's log to `postgres.log.1` if it is too large. The server appends to the
  /// file that it has open, so that file stays, and lines written at this instant may be lost. Cheap if it is small.
  func trimLog() {
    guard Files.size(of: log) > Limits.logBytes, Files.isWritable(log) else { return }
    // On a full disk there may be no room for the copy; then the content goes.
    try? Files.copy(log, to: "\(log).1")
    try? Files.empty(log)
  }

  /// Returns the most informative of the server's last log lines, for an error message.
  func lastLogLines(since start: Int) -> String {
    let bytes = Files.bytes(log) ?? []
    let lines = String(decoding: bytes.dropFirst(start), as: UTF8.self).split(separator: "\n")
    let telling = lines.last { $0.contains("FATAL:") || $0.contains("PANIC:") }
    return String(telling ?? lines.last ?? "it said nothing")
  }
}
