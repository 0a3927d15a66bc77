import Reactor
import TestSupport
import Testing

/// A real proxy before a server of ours, listening on a Unix socket: so no port can be taken, by us or by others.
final class ReverseProxy {
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case nginx, haproxy

    var testDescription: String { rawValue }
  }

  let address: SocketAddress
  private let directory: String
  private var process: ChildProcess?

  /// Starts it, and waits until it listens. A proxy that is not installed is a failure.
  /// - Parameters:
  ///   - streams: whether bodies are passed on as they arrive, instead of being gathered first (nginx).
  ///   - usesProxyProtocol: whether it names its client at the start of each connection to us (haproxy).
  ///   - seconds: how long it waits for the next bytes of a client.
  init(
    _ kind: Kind, before server: SocketAddress, streams: Bool = true, usesProxyProtocol: Bool = false,
    seconds: Int = 600
  ) throws {
    directory = TemporaryDirectory.make(prefix: "upmc-proxy.")
    address = try SocketAddress.unix(path: directory + "/front")
    let file = directory + "/configuration"
    let command: [String]
    switch kind {
    case .nginx:
      TemporaryDirectory.write(file, Self.nginx(directory, server, streams: streams, seconds))
      command = ["/usr/sbin/nginx", "-p", directory, "-c", file, "-e", directory + "/error.log"]
    case .haproxy:
      TemporaryDirectory.write(file, Self.haproxy(directory, server, usesProxyProtocol: usesProxyProtocol, seconds))
      command = ["/usr/sbin/haproxy", "-db", "-f", file]
    }
    process = try ChildProcess.start(command, output: .file(directory + "/log"), errors: .file(directory + "/log"))
    _ = try poll("\(kind) does not listen: \(log)") { listens ? true : nil }
  }

  deinit {
    _ = process?.stop(timeout: .seconds(5))
    TemporaryDirectory.remove(directory)
  }

  private var listens: Bool { (try? Socket.connect(to: address)) != nil }

  private var log: String {
    (TemporaryDirectory.read(directory + "/log") ?? "") + (TemporaryDirectory.read(directory + "/error.log") ?? "")
  }

  /// `X-Stamp` is what the proxy understood: a number of its own for each request, the method and the target.
  private static func nginx(
    _ directory: String, _ server: SocketAddress, streams: Bool, _ seconds: Int
  ) -> String {
    """
    daemon off;
    master_process off;
    pid \(directory)/pid;
    events { worker_connections 2048; }
    http {
      access_log off;
      client_body_temp_path \(directory)/bodies;
      proxy_temp_path \(directory)/answers;
      fastcgi_temp_path \(directory)/a;
      uwsgi_temp_path \(directory)/b;
      scgi_temp_path \(directory)/c;
      client_max_body_size 64m;
      client_header_timeout \(seconds)s;
      client_body_timeout \(seconds)s;
      upstream upmc { server \(server); keepalive 4; }
      server {
        listen unix:\(directory)/front backlog=4096;
        location / {
          proxy_pass http://upmc;
          proxy_http_version 1.1;
          proxy_request_buffering \(streams ? "off" : "on");
          proxy_set_header Connection "";
          proxy_set_header Host $http_host;
          proxy_set_header X-Stamp "$request_id $request_method $request_uri";
        }
      }
    }
    """
  }

  private static func haproxy(
    _ directory: String, _ server: SocketAddress, usesProxyProtocol: Bool, _ seconds: Int
  ) -> String {
    """
    global
      maxconn 1000
      stats socket \(directory)/admin
    defaults
      mode http
      timeout connect 600s
      timeout client \(seconds)s
      timeout server \(max(10, seconds))s
      timeout http-request \(seconds)s
      http-reuse always
    frontend front
      bind unix@\(directory)/front
      unique-id-format %[uuid()]
      http-request set-header X-Stamp "%[unique-id] %[method] %[url]"
      default_backend upmc
    backend upmc
      server upmc \(server)\(usesProxyProtocol ? " send-proxy-v2" : "")

    """
  }
}
