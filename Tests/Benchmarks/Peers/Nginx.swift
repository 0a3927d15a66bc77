/// nginx returning a constant: the least work an HTTP server can do, in highly optimised C.
enum Nginx {
  static func start(in scratch: ScratchDirectory) throws -> Program {
    let port = try Loopback.freePort()
    let configuration = try scratch.write(
      """
      daemon off;
      worker_processes 2;
      pid \(scratch.file("nginx.pid"));
      error_log \(scratch.file("nginx.log")) error;
      events { worker_connections 4096; multi_accept on; }
      http {
        access_log off;
        keepalive_requests 1000000000;
        default_type application/json;
        client_body_temp_path \(scratch.file("bodies"));
        proxy_temp_path \(scratch.file("proxied"));
        fastcgi_temp_path \(scratch.file("fastcgi"));
        uwsgi_temp_path \(scratch.file("uwsgi"));
        scgi_temp_path \(scratch.file("scgi"));
        server {
          listen 127.0.0.1:\(port) reuseport;
          location /health { return 200 '{"status":"ok"}'; }
          location /echo { return 200 '{"ok":true}'; }
        }
      }
      """, to: "nginx.conf")
    let errors = scratch.file("nginx.err")
    return try Program(
      "nginx", ["/usr/sbin/nginx", "-c", configuration, "-e", errors], port: port, log: scratch.file("nginx.out"))
  }
}
