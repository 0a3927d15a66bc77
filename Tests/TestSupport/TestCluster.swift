import Glibc
import Synchronization

/// A PostgreSQL server private to this test process, under a watchdog shell that outlives the process just long enough
/// to clean up. Not durable (`fsync=off`), because nothing here needs to survive.
package final class TestCluster: Sendable {
  /// The one that most tests share; starts on first use.
  package static let shared = TestCluster()

  /// Holds data and socket; removed when the process ends.
  package let directory: String
  private let commands: Int32
  private let answers: Int32
  private let watchdog: pid_t
  private let turn = Mutex(())

  /// Starts another cluster, for tests that stop or break it.
  package convenience init() {
    self.init(script: Self.script)
  }

  /// - Parameter script: of the watchdog: starts what there is to start, answers `done`, then obeys words line by line.
  init(script: String) {
    directory = TemporaryDirectory.make(under: TemporaryDirectory.roomy)
    (commands, answers, watchdog) = Self.spawnWatchdog(directory, script)
    expectAnswer(to: "start")
  }

  /// Where to connect.
  package func url(database: String) -> String {
    "postgresql://postgres@/\(database)?host=\(directory)"
  }

  /// Stops the server as in a crash: connections are cut at once.
  package func stop() {
    command("stop")
  }

  package func start() {
    command("start")
  }

  /// Ends the server and removes its directory; for those that are not shared.
  package func remove() {
    turn.withLock { _ in
      close(commands)
      var byte: UInt8 = 0
      while read(answers, &byte, 1) > 0 {}
      close(answers)
      // The test library waits for whichever child of this process ends: one that is left unreaped hides those of its
      // own, and the run would never end.
      waitpid(watchdog, nil, 0)
    }
  }

  /// Sends the watchdog a command and waits until it is done.
  func command(_ word: String) {
    turn.withLock { _ in
      let line = Array((word + "\n").utf8)
      precondition(write(commands, line, line.count) == line.count, "the watchdog of the test cluster is gone")
      expectAnswer(to: word)
    }
  }

  private func expectAnswer(to word: String) {
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while read(answers, &byte, 1) == 1, byte != UInt8(ascii: "\n") { answer.append(byte) }
    let text = String(decoding: answer, as: UTF8.self)
    precondition(text == "done", "the test cluster could not \(word): \(text.isEmpty ? "no answer" : text)")
  }

  private static func spawnWatchdog(
    _ directory: String, _ script: String
  ) -> (commands: Int32, answers: Int32, watchdog: pid_t) {
    let input = makePipe()
    let output = makePipe()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.read, 0)
    posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A session of its own: Ctrl-C in a terminal must not take the watchdog before it has cleaned up.
    posix_spawnattr_setflags(&attributes, 0x80)
    let user = getuid() == 0 ? "postgres" : ""
    let words = ["/bin/sh", "-c", script, "watchdog", directory, PostgresBinaries.directory, user]
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var child = pid_t()
    let code = posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, environ)
    precondition(code == 0, "cannot start a shell: \(code)")
    close(input.read)
    close(output.write)
    return (input.write, output.read, child)
  }

  /// A pipe whose ends no other child inherits.
  private static func makePipe() -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "no pipe")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Makes the cluster, obeys `start` and `stop`, and cleans up when its standard input ends.
  private static let script = """
    directory=$1 binaries=$2 user=$3
    cd /
    as_owner() {
      if [ -n "$user" ]; then setpriv --reuid="$user" --regid="$user" --clear-groups -- "$@"; else "$@"; fi
    }
    start() {
      as_owner "$binaries/pg_ctl" -D "$directory/data" -w -t 600 -l "$directory/log" start \\
        -o "${CITUS:+-c shared_preload_libraries=citus} -c listen_addresses='' -c unix_socket_directories=$directory -c fsync=off -c full_page_writes=off \\
            -c synchronous_commit=off -c wal_init_zero=off -c shared_buffers=64MB -c max_connections=500 -c autovacuum=off \\
            -c log_checkpoints=off" \\
        >/dev/null 2>&1 </dev/null
    }
    stop() {
      as_owner "$binaries/pg_ctl" -D "$directory/data" -w -t 600 -m immediate stop >/dev/null 2>&1 </dev/null
    }
    initdb() {
      as_owner "$binaries/initdb" -D "$1" -U postgres -A trust -E UTF8 --no-locale --no-sync
    }
    # In a whole run, the first process makes a cluster, and each process takes a copy (.ci/run-tests).
    make() {
      [ -n "$TEST_CLUSTER" ] || { initdb "$directory/data"; return; }
      (
        flock 9
        [ -e "$TEST_CLUSTER/data" ] && exit
        [ -n "$user" ] && chown "$user" "$TEST_CLUSTER"
        # A process that was killed while it made one has left this.
        rm -rf "$TEST_CLUSTER/new"
        initdb "$TEST_CLUSTER/new" && mv "$TEST_CLUSTER/new" "$TEST_CLUSTER/data"
      ) 9>"$TEST_CLUSTER/lock" || return
      cp -a "$TEST_CLUSTER/data" "$directory/data"
    }
    [ -n "$user" ] && chown "$user" "$directory"
    make >"$directory/initdb.log" 2>&1 </dev/null || { echo "initdb: $(tail -n 1 "$directory/initdb.log")"; exit 1; }
    start && echo done || echo "pg_ctl: $(tail -n 1 "$directory/log")"
    while read -r word; do
      case $word in
        start) start && echo done || echo failed ;;
        stop) stop && echo done || echo failed ;;
      esac
    done
    # Whoever waits for the tests' output need not wait for this.
    exec 2>/dev/null
    stop
    rm -rf "$directory"
    """
}

/// Where the server's programs are.
package enum PostgresBinaries {
  /// The PostgreSQL of `make citus`, whose databases get the extension; nil in other runs.
  static let citus = getenv("CITUS").map { String(cString: $0) }

  /// Those of `make citus`, or the newest version installed the Debian way, or whatever stands beside `initdb` in
  /// `PATH`.
  package static let directory: String = {
    if let citus { return "\(citus)/bin" }
    let root = "/usr/lib/postgresql"
    let versions = TemporaryDirectory.entries(of: root).compactMap { Int($0) }.sorted(by: >)
    let places = versions.map { "\(root)/\($0)/bin" } + searchPath
    guard let found = places.first(where: { access("\($0)/initdb", X_OK) == 0 }) else {
      preconditionFailure("tests need PostgreSQL's initdb: install the package postgresql")
    }
    return found
  }()

  private static var searchPath: [String] {
    guard let path = getenv("PATH") else { return [] }
    return String(cString: path).split(separator: ":").map(String.init)
  }
}
