internal import CLinux
internal import Glibc

/// A non-blocking stream socket. Each method is one system call of the same name.
package struct Socket: ~Copyable {
  private let file: FileDescriptor

  /// The result of a read or write that must not block.
  package enum Transfer: Equatable, Sendable {
    case bytes(Int)
    /// Nothing can be done now: wait for readiness.
    case wouldBlock
    /// The peer has closed its side (reads only).
    case endOfStream
    /// The connection is lost; `errno`.
    case failed(Int32)
  }

  package var descriptor: Int32 { file.number }

  package init(owning descriptor: Int32) {
    file = FileDescriptor(owning: descriptor)
  }

  /// Gives up ownership, for example to pass the socket to another thread: the caller must close the number.
  package consuming func release() -> Int32 {
    file.release()
  }

  private init(for address: SocketAddress) throws(SystemError) {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let number = socket(address.family, type, 0)
    guard number >= 0 else { throw .last("socket", address.description) }
    file = FileDescriptor(owning: number)
  }

  /// Opens a listening socket. With `reusePort` several loops listen on one port, and the kernel distributes
  /// connections.
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

  /// Starts to connect. The socket becomes writable when that is done; then read `connectError`.
  package static func connect(to address: SocketAddress) throws(SystemError) -> Socket {
    let socket = try Socket(for: address)
    socket.disableDelay()
    let code = unsafe address.withSockaddr { unsafe Glibc.connect(socket.descriptor, $0, $1) }
    guard code == 0 || errno == EINPROGRESS || errno == EINTR else { throw .last("connect", address.description) }
    return socket
  }

  /// The result of a connect: 0 for success, else its `errno`.
  package var connectError: Int32 {
    var value: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let code = unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &value, &length)
    return code == 0 ? value : errno
  }

  /// Accepts one waiting connection; nil if none waits (or it vanished meanwhile). Throws if the process or the machine
  /// is out of descriptors or memory.
  package func accept() throws(SystemError) -> Socket? {
    let number = upmc_accept(descriptor)
    if number >= 0 { return Socket(owning: number) }
    switch errno {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw .last("accept")
    default: return nil
    }
  }

  /// For a listening socket about to close: the kernel no longer answers new connection attempts, so their clients
  /// retry a second later, when a successor may listen. Connections whose handshake has begun can still be accepted;
  /// closing at once would reset them. No effect on Unix sockets.
  package func ignoreNewConnections() {
    _ = upmc_ignore_new_connections(descriptor)
  }

  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    // The kernel returns 0 for an empty buffer, as it does at the end of the stream.
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

  /// Announces that we send no more; the peer reads the end of the stream and may still answer.
  package func shutdownWrite() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  // MARK: Options and addresses

  /// Disables Nagle's algorithm: answers are written in one piece, so it could only delay them.
  package func disableDelay() {
    set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  /// Detects dead peers: probes after `idle` without traffic, gives up if bytes stay unacknowledged for
  /// `unacknowledged`.
  package func keepAlive(idle: Duration, unacknowledged: Duration) {
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, Int32(clamping: idle.components.seconds))
    set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
    set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
    set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: unacknowledged.nanoseconds / 1_000_000))
  }

  /// Makes `close` send a reset instead of an orderly close: for peers that misbehave, and for tests.
  package func resetOnClose() {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
  }

  package var localAddress: SocketAddress? { unsafe address(using: getsockname) }
  package var remoteAddress: SocketAddress? { unsafe address(using: getpeername) }

  private func set(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    // Options are improvements, not requirements: a kernel without one still serves.
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
  /// Lends the kernel's view of the address.
  fileprivate func withSockaddr(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    // Safe: the array outlives the call, and its length is passed along.
    unsafe bytes.withUnsafeBytes { raw in
      unsafe body(raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
    }
  }
}
