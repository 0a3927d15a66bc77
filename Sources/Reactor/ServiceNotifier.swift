internal import Glibc

/// Reports state to the service manager that started this process (systemd, `sd_notify(3)`): sends one datagram to the
/// socket named by `NOTIFY_SOCKET`, or does nothing if that is not set. Uses no library, because the protocol is a
/// single `sendto`.
package enum ServiceNotifier {
  /// Sends `READY=1`: units that depend on this service may start.
  /// - Parameter status: one line for `systemctl status`.
  package static func ready(_ status: String) { notify("READY=1\nSTATUS=\(status)") }

  /// Sends `STOPPING=1`: the process is shutting down.
  package static func stopping() { notify("STOPPING=1") }

  /// Sends a line of status text for `systemctl status`, for example during start-up.
  package static func status(_ text: String) { notify("STATUS=\(text)") }

  private static func notify(_ state: String) {
    guard let name = unsafe getenv("NOTIFY_SOCKET") else { return }
    unsafe send(state, to: String(cString: name))
  }

  /// Sends one datagram without blocking, because a manager that does not read must not stop the service. Fails
  /// silently, also if `socketName` is neither an absolute path nor an abstract name (`@…`), or is too long.
  static func send(_ state: String, to socketName: String) {
    var path = Array(socketName.utf8)
    // A file-system path, or an abstract name, whose leading `@` stands for a zero byte.
    guard path.first == UInt8(ascii: "/") || path.first == UInt8(ascii: "@") else { return }
    if path[0] == UInt8(ascii: "@") { path[0] = 0 }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.count)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { Glibc.close(descriptor) }
    let bytes = Array(state.utf8)
    _ = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT), $0, length)
      }
    }
  }
}
