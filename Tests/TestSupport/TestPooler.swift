/// A PgBouncer of this test alone in front of a test cluster; ends with it, or with this process.
package final class TestPooler: Sendable {
  /// How it lends the database's sessions to its clients (PgBouncer's `pool_mode`).
  package enum Mode: String, Sendable {
    case session, transaction, statement
  }

  private let watchdog: TestCluster

  /// - Parameters:
  ///   - sessions: most that it opens for one database.
  ///   - password: the password that it requires of the user `postgres`; nil to let everybody in.
  ///   - cluster: which it stands in front of.
  package init(
    _ mode: Mode, sessions: Int = 80, password: String? = nil, before cluster: TestCluster = .shared
  ) {
    watchdog = TestCluster(script: Self.script(mode, sessions, password, cluster.directory))
  }

  /// Where to connect.
  package func url(database: String, password: String? = nil) -> String {
    let secret = password.map { ":" + $0 } ?? ""
    return "postgresql://postgres\(secret)@/\(database)?host=\(watchdog.directory)"
  }

  /// Ends it like a crash: all its connections are cut.
  package func stop() { watchdog.stop() }
  package func start() { watchdog.start() }
  package func remove() { watchdog.remove() }

  private static func script(_ mode: Mode, _ sessions: Int, _ password: String?, _ cluster: String) -> String {
    let access = password == nil ? "auth_type = any" : "auth_type = plain\nauth_file = $directory/users.txt"
    return """
      directory=$1 user=$3 PATH=$PATH:/usr/sbin
      cd /
      as_owner() {
        if [ -n "$user" ]; then exec setpriv --reuid="$user" --regid="$user" --clear-groups -- "$@"; else exec "$@"; fi
      }
      cat >"$directory/pgbouncer.ini" <<END
      [databases]
      * = host=\(cluster) user=postgres
      [pgbouncer]
      listen_addr =
      listen_port = 5432
      unix_socket_dir = $directory
      \(access)
      pool_mode = \(mode.rawValue)
      default_pool_size = \(sessions)
      max_client_conn = 500
      logfile = $directory/pgbouncer.log
      END
      printf '"postgres" "%s"\\n' '\(password ?? "")' >"$directory/users.txt"
      start() {
        rm -f "$directory/.s.PGSQL.5432"
        # Our own child, so that its end can be waited for.
        as_owner pgbouncer --quiet "$directory/pgbouncer.ini" >/dev/null 2>&1 </dev/null &
        process=$!
        until [ -S "$directory/.s.PGSQL.5432" ]; do
          kill -0 "$process" 2>/dev/null || return 1
          sleep 0.02
        done
      }
      stop() {
        kill -KILL "$process"
        wait "$process" 2>/dev/null
        return 0
      }
      [ -n "$user" ] && chown "$user" "$directory"
      start && echo done || echo "pgbouncer: $(tail -n 1 "$directory/pgbouncer.log")"
      while read -r word; do
        case $word in
          start) start && echo done || echo failed ;;
          stop) stop && echo done || echo failed ;;
        esac
      done
      exec 2>/dev/null
      stop
      rm -rf "$directory"
      """
  }
}
