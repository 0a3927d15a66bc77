internal import Reactor
internal import TLS

/// The byte stream of one connection: TCP or a Unix socket, with or without TLS.
///
/// A class, so that the connection can release it in the middle of a call; the descriptor is closed with it.
final class ClientTransport {
  enum Step {
    case done
    case incomplete(Readiness)
    case failed(String)
  }

  let descriptor: Int32
  /// True if TLS holds decrypted data that was not read yet, which epoll does not report.
  private(set) var hasHiddenInput = false
  private let security: HTTPClientSecurity?
  private var request: TunnelRequest?
  /// The bytes to send to the server before anything else, including the TLS handshake; empty once sent.
  private var preamble: [UInt8]
  // Exactly one of these two is set.
  private var socket: Socket?
  private var stream: TLSStream?

  /// Starts connecting; the socket becomes writable when the attempt has ended.
  /// - Parameters:
  ///   - tunnel: the proxy tunnel to open after connecting; nil if `address` is the server's own.
  ///   - preamble: bytes to send to the server before anything else, including the TLS handshake, once the tunnel is
  ///     open. Must fit into an empty send buffer, or `secure` fails.
  init(
    to address: SocketAddress, security: HTTPClientSecurity?, tunnel: ProxyTunnel?, preamble: [UInt8] = []
  ) throws(SystemError) {
    let socket = try Socket.connect(to: address)
    descriptor = socket.descriptor
    self.security = security
    self.preamble = preamble
    request = tunnel.map { TunnelRequest($0) }
    self.socket = consume socket
  }

  /// The result of the connection attempt: 0 for success, otherwise its `errno`.
  var connectError: Int32 { socket?.connectError ?? 0 }

  /// Opens the tunnel through the proxy. Call again when the socket is ready, until it is open.
  func openTunnel() -> TunnelRequest.Step {
    socket?.advance(&request) ?? .open
  }

  /// Performs the TLS handshake if TLS is used. Call again when the socket is ready, until it is complete.
  func secure() -> Step {
    guard sendPreamble() else { return .failed("the preamble could not be sent") }
    guard let security else { return .done }
    if let socket = socket.take() {
      do throws(TLSError) {
        stream = try TLSStream(connecting: socket, context: security.context, serverName: security.serverName)
      } catch {
        return .failed(error.description)
      }
    }
    switch stream?.handshake() {
    case .complete: return .done
    case .incomplete(let readiness): return .incomplete(readiness)
    case .failed(let error): return .failed(error.description)
    case nil: return .failed("no connection")
    }
  }

  private func sendPreamble() -> Bool {
    guard !preamble.isEmpty else { return true }
    var buffer = ByteBuffer(capacity: preamble.count)
    buffer.append(preamble)
    guard case .bytes(preamble.count) = socket?.send(buffer) else { return false }
    preamble = []
    return true
  }

  /// Reads once, a limited part of the available input.
  func receive(into buffer: inout ByteBuffer) -> Socket.Transfer {
    guard let stream else { return socket?.receive(into: &buffer) ?? .endOfStream }
    let before = buffer.count
    let result = stream.read(into: &buffer, limit: HTTPClientLimits.bytesPerTurn)
    let count = buffer.count - before
    switch result {
    case .wouldBlock:
      hasHiddenInput = false
      return count > 0 ? .bytes(count) : .wouldBlock
    // Deliver data before the end of the stream; the next call reports the end again.
    case .moreWaiting, .endOfStream, .failed:
      hasHiddenInput = count > 0
      return count > 0 ? .bytes(count) : .endOfStream
    }
  }

  /// Sends once, and consumes from the buffer what was accepted.
  func send(_ buffer: inout ByteBuffer) -> Socket.Transfer {
    guard let stream else {
      let transfer = socket?.send(buffer) ?? .endOfStream
      if case .bytes(let count) = transfer { buffer.consume(count) }
      return transfer
    }
    let before = buffer.count
    let result = stream.write(&buffer)
    if buffer.count < before { return .bytes(before - buffer.count) }
    switch result {
    case .complete: return .bytes(0)
    case .wouldBlock: return .wouldBlock
    case .failed: return .endOfStream
    }
  }
}
