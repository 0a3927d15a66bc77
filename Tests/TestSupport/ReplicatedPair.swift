/// Two PostgreSQL servers on loopback, the second following the first by synchronous streaming replication: a commit is
/// answered when both have it. The first can be killed and the second promoted.
package final class ReplicatedPair: Sendable {
  private let cluster: TestCluster
  private let ports: [Int]

  /// - Parameter ports: two that nobody listens on.
  package init(ports: [Int]) {
    self.ports = ports
    cluster = TestCluster(script: Self.script(ports))
  }

  /// Names both servers, and wants the one that takes writes.
  package func url(database: String) -> String {
    let hosts = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
    return "postgresql://postgres@\(hosts)/\(database)?target_session_attrs=read-write"
  }

  /// Only the second server, whatever it is.
  package func standbyURL(database: String) -> String {
    "postgresql://postgres@127.0.0.1:\(ports[1])/\(database)"
  }

  /// The second server falls behind: what is committed from now on is on the first one only.
  package func stopReplication() { cluster.command("lag") }

  /// The first server and all its processes end like those of a machine whose plug is pulled.
  package func killPrimary() { cluster.command("kill") }

  /// The second server takes writes when this returns.
  package func promoteStandby() { cluster.command("promote") }

  package func remove() { cluster.remove() }

  private static func script(_ ports: [Int]) -> String {
    """
    directory=$1 binaries=$2 user=$3
    cd /
    as_owner() {
      if [ -n "$user" ]; then setpriv --reuid="$user" --regid="$user" --clear-groups -- "$@"; else "$@"; fi
    }
    start() {
      as_owner "$binaries/pg_ctl" -D "$directory/$1" -w -t 600 -l "$directory/$1.log" start \\
        -o "-c listen_addresses=127.0.0.1 -c port=$2 -c unix_socket_directories=$directory -c fsync=off \\
            -c full_page_writes=off -c shared_buffers=64MB -c max_connections=200 -c autovacuum=off \\
            -c wal_level=replica -c hot_standby=on" \\
        >/dev/null 2>&1 </dev/null
    }
    kill_primary() {
      pid=$(head -n 1 "$directory/primary/postmaster.pid")
      children=$(cat "/proc/$pid/task/$pid/children")
      kill -9 $pid $children
    }
    make() {
      [ -n "$user" ] && chown "$user" "$directory"
      as_owner "$binaries/initdb" -D "$directory/primary" -U postgres -A trust -E UTF8 --no-locale --no-sync || return 1
      start primary \(ports[0]) || return 1
      as_owner "$binaries/pg_basebackup" -D "$directory/standby" -R -X stream --no-sync \\
        -d "host=127.0.0.1 port=\(ports[0]) user=postgres application_name=standby" || return 1
      start standby \(ports[1]) || return 1
      # From now on a commit waits for both.
      as_owner "$binaries/psql" -h 127.0.0.1 -p \(ports[0]) -U postgres -c \\
        "ALTER SYSTEM SET synchronous_standby_names = 'standby'" -c "SELECT pg_reload_conf()"
    }
    make >"$directory/make.log" 2>&1 </dev/null && echo done || echo "make: $(tail -n 1 "$directory/make.log")"
    while read -r word; do
      case $word in
        lag)
          as_owner "$binaries/psql" -h 127.0.0.1 -p \(ports[0]) -U postgres \\
            -c "ALTER SYSTEM SET synchronous_standby_names = ''" -c "SELECT pg_reload_conf()" >/dev/null 2>&1 </dev/null \\
          && as_owner "$binaries/psql" -h 127.0.0.1 -p \(ports[1]) -U postgres \\
            -c "ALTER SYSTEM SET primary_conninfo = ''" -c "SELECT pg_reload_conf()" >/dev/null 2>&1 </dev/null \\
          && echo done || echo failed ;;
        kill) kill_primary && echo done || echo failed ;;
        promote) as_owner "$binaries/pg_ctl" -D "$directory/standby" -w -t 600 promote >/dev/null 2>&1 </dev/null \\
          && echo done || echo failed ;;
      esac
    done
    exec 2>/dev/null
    for server in primary standby; do
      as_owner "$binaries/pg_ctl" -D "$directory/$server" -w -t 600 -m immediate stop >/dev/null 2>&1 </dev/null
    done
    rm -rf "$directory"
    """
  }
}
