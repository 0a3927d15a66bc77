internal import Reactor

/// What precedes the first request: the header of a proxy, the handshake of TLS, and whether the client may come in.
extension Connection {
  /// Goes on with the opening as far as the socket allows.
  func open() {
    switch transport?.open() {
    case .open:
      phase = .head
      watch(.readable)
      arrive(from: transport?.remoteAddress)
      if phase == .head { read() }
    case .waiting(let readiness): watch(readiness)
    case .failed, nil: close()
    }
  }

  /// It is known who the client is: lets it in, or tells it why not.
  /// - Parameter address: nil when nobody needs to know.
  func arrive(from address: SocketAddress?) {
    guard !isSurplus else {
      server.counters.overloaded &+= 1
      return refuseEntry(.serviceUnavailable, "There are too many connections.")
    }
    guard let address = address?.ip else { return }
    isBehindProxy = server.isTrusted(address)
    guard let visitors = server.visitors, !server.isExempt(address) else { return }
    visitor = visitors.enter(address)
    guard visitor == nil else { return }
    server.counters.turnedAway &+= 1
    refuseEntry(.tooManyRequests, "There are too many connections from this address.")
  }

  private func refuseEntry(_ status: Status, _ detail: String) {
    refuse(status, detail, headers: [("Retry-After", "1")])
  }

  /// False when the one who asks has asked too often.
  var mayAsk: Bool {
    guard let visitors = server.visitors else { return true }
    if let visitor { return visitors.mayAsk(visitor, now: server.loop.now) }
    guard isBehindProxy, let client = request.clientAddress, !server.isExempt(client) else { return true }
    return visitors.mayAsk(client, now: server.loop.now)
  }

  /// Answers in the handler's place. The request was in order, so the connection goes on, unless a body that was not
  /// taken is in the way.
  func turnAway() {
    server.counters.turnedAway &+= 1
    var response = Problem.response(
      .tooManyRequests, "There are too many requests from this address.", number: exchange.number)
    response.headers.append(("Retry-After", "1"))
    respond(serial, response)
  }
}
