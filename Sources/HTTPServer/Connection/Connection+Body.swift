internal import Reactor

/// The beginning of a body: whether it may come, when its handler knows that, and how long it may be.
extension Connection {
  /// What the handler was asked of the present body, before any of it was awaited.
  enum Leave {
    case notAsked
    /// The client waits until the handler knows who it is.
    case held
    case given
  }

  /// The body has not arrived whole, or it is for the handler to say whether it may.
  func beginBody(_ facts: RequestStore.Facts) {
    guard facts.expectation != .unknown else {
      return refuse(.expectationFailed, "Only the expectation 100-continue can be met (RFC 9110 §10.1.1).")
    }
    if isLong(facts.framing), isHeld(facts) { return }
    takeBody(facts)
  }

  private func isLong(_ framing: RequestHead.Framing) -> Bool {
    switch framing {
    case .none: false
    case .length(let length): length > unaskedBodyBytes
    case .chunked: true
    }
  }

  /// True when nothing of the body is taken now: its client has asked too often, or the handler must first find out who asks. Meanwhile the request is like one that is being handled: what its
  /// client sends waits in the socket, but for what would be read of requests sent ahead.
  private func isHeld(_ facts: RequestStore.Facts) -> Bool {
    phase = .handling
    begin(facts)
    // An answer instead of leave leaves a body in the way of the next request.
    exchange.keepsAlive = false
    guard mayAsk else {
      turnAway()
      if isCounted { dropBody() }
      return true
    }
    leave = server.handler.holdsBody(of: request, ticket(serial)) ? .held : .given
    return leave == .held
  }

  /// The handler knows who asks.
  func goOn(_ serial: UInt64) {
    guard isAwaiting(serial), leave == .held else { return }
    leave = .given
    takeBody(request.store.facts)
    pump()
  }

  /// A request has its number from the moment that its handler was asked anything about it.
  func beginUnlessAsked(_ facts: RequestStore.Facts) {
    if leave == .notAsked { return begin(facts) }
    leave = .notAsked
    beganAt = server.loop.now
    exchange.keepsAlive = facts.keepsAlive
  }

  private func takeBody(_ facts: RequestStore.Facts) {
    bodyLimit = unaskedBodyBytes
    phase = .body
    var fits = true
    switch facts.framing {
    case .none: break
    case .length(let length) where length <= bodyLimit: break
    case .length(let length):
      bodyLimit = askForBody(of: length)
      fits = length <= bodyLimit
    case .chunked: bodyLimit = askForBody(of: nil)
    }
    if case .length(let length) = facts.framing, fits, !hasRoomForBody(length) { return refuseBody() }
    deadline = server.loop.now + server.configuration.bodyTimeout
    let waits = facts.framing != .none && fits && !inputEnded && !request.store.hasBodyBytes
    if facts.expectation == .continue, waits {
      output.reattach()
      output.buffer.append("HTTP/1.1 100 Continue\r\n\r\n")
      outputGrew()
    }
  }
}
