import Glibc
import TestSupport
import Testing

@testable import Reactor

/// What systemd's socket receives, with sockets of the kernel.
@Suite struct ServiceNotifierTests {
  @Test func `a state goes in one datagram to a path`() throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    let socket = try NotifySocket(directory + "/notify")
    ServiceNotifier.send("READY=1\nSTATUS=Serving.", to: directory + "/notify")
    #expect(socket.receive() == "READY=1\nSTATUS=Serving.")
  }

  @Test func `and to a name in the abstract namespace`() throws {
    let name = "@upmc-test-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    let socket = try NotifySocket(name)
    ServiceNotifier.send("STOPPING=1", to: name)
    #expect(socket.receive() == "STOPPING=1")
  }
}

private final class NotifySocket {
  private let descriptor: Int32

  init(_ name: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    try #require(bound == 0, "bind: \(errno)")
  }

  deinit { close(descriptor) }

  func receive() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
