internal import Glibc
internal import Postgres
internal import Reactor

/// The directory in which the private database is stored, and the account that runs it.
struct ClusterPlace {
  /// The absolute path of `UPMC_DATA_DIR`.
  let dataDirectory: String
  /// The directory of the cluster, its socket and its locks: the data directory, or its substitute elsewhere.
  let base: String
  /// The account that runs the server.
  let account: SystemAccount
  /// The path of `setpriv`, if this process is root and the server must run as another user; otherwise nil.
  let setpriv: String?

  var cluster: String { "\(base)/postgres" }
  var freshCluster: String { "\(base)/postgres.new" }
  var log: String { "\(base)/postgres.log" }
  private var location: String { "\(dataDirectory)/postgres.location" }
  private var isElsewhere: Bool { base != dataDirectory }

  /// Determines the location. Creates the directories, but no cluster.
  init(_ configuration: EmbeddedPostgresConfiguration, _ report: (String) -> Void) throws(EmbeddedPostgresError) {
    let isRoot = geteuid() == 0
    let directory = Files.resolved(configuration.dataDirectory)
    // Other users may traverse the directory to reach their own files, but not list it.
    try Files.makeDirectory(directory, mode: isRoot ? 0o711 : 0o700)
    dataDirectory = directory
    setpriv = isRoot ? try Self.findSetpriv() : nil
    let named = try Self.namedLocation(directory)
    let here = named ?? directory
    account = try Self.account(configuration, cluster: "\(here)/postgres", isRoot: isRoot)
    if let named {
      base = named
    } else if Files.exists("\(directory)/postgres")
      || Self.reaches(directory, account, setpriv: setpriv)
    {
      base = directory
    } else {
      base = "\(configuration.fallbackDirectory)/\(Self.hash(directory))"
      report("user \(account.name) cannot reach \(directory): the private database lies in \(base)")
    }
    try Files.makeDirectory(base, mode: isRoot ? 0o711 : 0o700)
  }

  /// True if the location is elsewhere and the data directory does not record it yet.
  var isUnbound: Bool { isElsewhere && !Files.exists(location) }

  /// Records the substitute location in the data directory. The caller must hold the lock.
  func bind() throws(EmbeddedPostgresError) {
    try Files.write(base + "\n", to: location, for: nil)
  }

  /// Checks that the server's user can reach a directory; throws `.unreachable` if not. Runs a program, so it is called
  /// only when a cluster is created, or to explain a failure.
  func checkReach(_ path: String) throws(EmbeddedPostgresError) {
    guard Self.reaches(path, account, setpriv: setpriv) else { throw .unreachable(path: path, user: account.name) }
  }

  /// Returns the command line that runs a program as the server's user.
  func words(_ program: [String]) -> [String] {
    Self.words(program, as: account, setpriv: setpriv)
  }

  /// The owner of the files that the server must read; nil for this process's own user.
  var fileOwner: SystemAccount? { setpriv == nil ? nil : account }

  // MARK: Determining the location

  private static func words(_ program: [String], as account: SystemAccount, setpriv: String?) -> [String] {
    // PostgreSQL's programs need an accessible current directory, and ours may be closed to that user. `exec` replaces
    // the shell, so that the process is the program itself.
    let inRoot = ["/bin/sh", "-c", "cd / && exec \"$@\"", "sh"]
    guard let setpriv else { return inRoot + program }
    return inRoot + [setpriv, "--reuid=\(account.uid)", "--regid=\(account.gid)", "--clear-groups", "--"] + program
  }

  private static func findSetpriv() throws(EmbeddedPostgresError) -> String {
    let places = ["/usr/bin/setpriv", "/bin/setpriv", "/usr/local/bin/setpriv"]
    guard let found = places.first(where: Files.exists) else { throw .switchProgramNotFound }
    return found
  }

  /// Returns the directory recorded in `postgres.location`; nil if there is none.
  private static func namedLocation(_ directory: String) throws(EmbeddedPostgresError) -> String? {
    let file = "\(directory)/postgres.location"
    guard Files.exists(file) else { return nil }
    let path = Files.text(file)?.split(separator: "\n").first.map(String.init) ?? ""
    guard path.hasPrefix("/") else { throw .badLocation(file: file) }
    return path
  }

  private static func account(
    _ configuration: EmbeddedPostgresConfiguration, cluster: String, isRoot: Bool
  ) throws(EmbeddedPostgresError) -> SystemAccount {
    let owner = Files.owner(of: cluster)
    guard isRoot else {
      if let owner, owner != geteuid() {
        throw .otherOwner(path: cluster, owner: SystemAccount(uid: owner)?.name ?? "user \(owner)")
      }
      guard let account = SystemAccount.current else { throw .noAccount(uid: geteuid()) }
      return account
    }
    if let owner, owner != 0 {
      guard let account = SystemAccount(uid: owner) else { throw .noAccount(uid: owner) }
      return account
    }
    let names = configuration.user.map { [$0] } ?? ["postgres", "nobody"]
    guard let account = names.lazy.compactMap({ SystemAccount(named: $0) }).first else {
      throw .unknownUser(names.joined(separator: " or "))
    }
    guard account.uid != 0 else { throw .userIsRoot }
    return account
  }

  /// Returns true if the user can access a path. Runs a program as that user, so that permissions, access lists and
  /// mounts are all considered.
  private static func reaches(_ path: String, _ account: SystemAccount, setpriv: String?) -> Bool {
    guard setpriv != nil else { return true }
    let test = ["/bin/sh", "-c", "test -x \"$1\"", "sh", path]
    let report = try? ChildProcess.run(
      words(test, as: account, setpriv: setpriv), environment: Programs.environment, withErrors: true,
      atMost: Limits.probeTimeout)
    return report?.succeeded == true
  }

  /// Returns the FNV-1a hash of the path in hexadecimal digits, as a short and stable name. It need not resist attacks,
  /// because only root writes there.
  static func hash(_ path: String) -> String {
    let value = path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
