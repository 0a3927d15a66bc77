internal import CLinux
internal import Glibc

/// A non-blocking stream socket. Most methods wrap the system call of the same name.
package struct Socket: ~Copyable {
  private let file: FileDescriptor

  /// The result of a read or write that must not block.
  package enum Transfer: Equatable, Sendable {
    case bytes(Int)
    /// The call would block: wait for readiness.
    case wouldBlock
    /// The peer has closed its sending side (reads only).
    case endOfStream
    /// The connection is lost; the value is `errno`, or 0 if no system call reported the loss.
    case failed(Int32)
  }

  package var descriptor: Int32 { file.number }

  package init(owning descriptor: Int32) {
    file = FileDescriptor(owning: descriptor)
  }

  /// Gives up ownership, for example to pass the socket to another thread: the caller must close the returned
  /// descriptor.
  package consuming func release() -> Int32 {
    file.release()
  }

  private init(for address: SocketAddress) throws(SystemError) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = socket(address.family, type, 0)
    guard number >= 0 else { throw .last("socket", address.description) }
    file = FileDescriptor(owning: number)
  }

  /// Opens a listening socket. With `reusePort`, several event loops can each open one on the same address, and the
  /// kernel distributes connections among them. Throws for example if the address is in use or not one of this machine,
  /// or the path of a Unix socket exists already.
  package static func listen(on address: SocketAddress, reusePort: Bool = false) throws(SystemError) -> Socket {
    let socket = try Socket(for: address)
    if address.family != AF_UNIX { socket.set(SOL_SOCKET, SO_REUSEADDR, 1) }
    if reusePort { socket.set(SOL_SOCKET, SO_REUSEPORT, 1) }
    guard unsafe address.withSockaddr({ unsafe bind(socket.descriptor, $0, $1) }) == 0 else {
      throw .last("bind", address.description)
    }
    guard Glibc.listen(socket.descriptor, Reactor.Limits.listenBacklog) == 0 else {
      throw .last("listen", address.description)
    }
    return socket
  }

  /// Starts connecting. The socket becomes writable when the attempt has ended; then read `connectError`. Throws if the
  /// attempt fails at once.
  package static func connect(to address: SocketAddress) throws(SystemError) -> Socket {
    let socket = try Socket(for: address)
    socket.disableDelay()
    let code = unsafe address.withSockaddr { unsafe Glibc.connect(socket.descriptor, $0, $1) }
    guard code == 0 || errno == EINPROGRESS || errno == EINTR else { throw .last("connect", address.description) }
    return socket
  }

  /// The result of the connection attempt: 0 for success, otherwise its `errno`. Read it once, because reading clears
  /// it.
  package var connectError: Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let code = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length)
    return code == 0 ? value : errno
  }

  /// Accepts one pending connection. Throws if the process or the machine has run out of descriptors or memory; returns
  /// nil if no connection is pending, or `accept(2)` fails for any other reason.
  package func accept() throws(SystemError) -> Socket? {
    let number = upmc_accept(descriptor)
    if number >= 0 { return Socket(owning: number) }
    switch errno {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw .last("accept")
    default: return nil
    }
  }

  /// Prepares a listening socket for closing without lost connections: the kernel ignores new connection attempts, so
  /// that their clients retry a second later, when a successor may be listening. Connections whose handshake has begun
  /// can still be accepted; closing the socket at once would reset them. No effect on Unix sockets.
  package func ignoreNewConnections() {
    _ = upmc_ignore_new_connections(descriptor)
  }

  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    // `recv` returns 0 for an empty buffer, which would look like the end of the stream.
    precondition(buffer.count > 0, "receiving into no room")
    while true {
      let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .bytes(count) }
      if count == 0 { return .endOfStream }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed(errno)
      }
    }
  }

  package func send(_ buffer: UnsafeRawBufferPointer) -> Transfer {
    while true {
      let count = unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return .bytes(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed(errno)
      }
    }
  }

  /// Shuts down the sending side: the peer reads the end of the stream, and can still send.
  package func shutdownWrite() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  // MARK: Options and addresses

  /// Disables Nagle's algorithm, which can only add delay, because each answer is written in one piece.
  package func disableDelay() {
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  /// Enables detection of dead peers: TCP sends keepalive probes, 15 s apart, after `idle` without traffic, and closes
  /// the connection if probes or sent bytes stay unacknowledged for `unacknowledged`.
  package func keepAlive(idle: Duration, unacknowledged: Duration) {
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, Int32(clamping: idle.components.seconds))
    set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
    set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
    set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: unacknowledged.nanoseconds / 1_000_000))
  }

  /// Makes closing send a TCP reset instead of an orderly FIN: for misbehaving peers, and for tests.
  package func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  package var localAddress: SocketAddress? { unsafe address(using: getsockname) }
  package var remoteAddress: SocketAddress? { unsafe address(using: getpeername) }

  private func set(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    // Failures are ignored: a socket works without these options, except SO_REUSEPORT, without which `bind` fails.
    _ = unsafe setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private typealias NameCall = (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32

  private func address(using call: NameCall) -> SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // Safe: the storage is large enough for every family, and the kernel reports how much it wrote.
    return unsafe withUnsafeMutableBytes(of: &storage) { raw in
      let pointer = unsafe raw.baseAddress!.assumingMemoryBound(to: sockaddr.self)
      guard unsafe call(descriptor, pointer, &length) == 0 else { return nil }
      return unsafe SocketAddress(bytes: Array(raw.prefix(Int(length))))
    }
  }
}

extension SocketAddress {
  /// Calls `body` with the address as a `sockaddr`, valid during the call.
  fileprivate func withSockaddr(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    // Safe: the array outlives the call, and its length is passed along.
    unsafe bytes.withUnsafeBytes { raw in
      unsafe body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
  }
}

/// Receives into and sends from Swift buffers, so that callers need no raw memory.
extension Socket {
  /// Receives available bytes with one system call, into at least `room` bytes of free buffer space; `room` must be
  /// positive.
  package func receive(into buffer: inout ByteBuffer, room: Int = 16_384) -> Transfer {
    unsafe buffer.write(reserving: room) { free in
      let transfer = unsafe receive(into: free)
      if case .bytes(let count) = transfer { return (count, transfer) }
      return (0, transfer)
    }
  }

  /// Receives at most `count` available bytes; `count` must be positive. For a preamble (a PROXY header, the answer to
  /// CONNECT) before a protocol that does its own reading, such as TLS.
  package func receive(appendingTo bytes: inout [UInt8], atMost count: Int) -> Transfer {
    var room = [UInt8](repeating: 0, count: count)
    let transfer = unsafe room.withUnsafeMutableBytes { unsafe receive(into: $0) }
    if case .bytes(let received) = transfer { bytes += room.prefix(received) }
    return transfer
  }

  /// Sends as much of a buffer as the kernel accepts. The caller must consume what was sent.
  package func send(_ buffer: borrowing ByteBuffer) -> Transfer {
    unsafe buffer.withUnsafeReadable { unsafe send($0) }
  }

  /// Sends as much of `bytes[start...]` as the kernel accepts.
  package func send(_ bytes: [UInt8], from start: Int) -> Transfer {
    unsafe bytes.withUnsafeBytes { unsafe send(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  /// The number of bytes passed to the kernel that the peer has not acknowledged (`tcp(7)`, SIOCOUTQ); 0 if unknown.
  package var unacknowledgedBytes: Int {
    var count: Int32 = 0
    // If the call fails, `count` stays 0.
    _ = unsafe ioctl(descriptor, UInt(TIOCOUTQ), &count)
    return Int(count)
  }
}

extension ByteBuffer {
  /// A copy of the readable bytes.
  package var bytes: [UInt8] {
    unsafe withUnsafeReadable { unsafe Array($0) }
  }
}
