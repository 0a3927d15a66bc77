internal import HTTPClient
internal import Reactor

/// A state machine of a connection, free of I/O: events and their times go in, the actions to perform come out.
///
/// The documentation of `PushTransport` shows the state diagram.
struct ConnectionState {
  enum Phase: Equatable {
    case connecting
    case tunnelling
    case securing
    case probing
    case ready
    case draining
    case closed
  }

  /// The actions that `Connection` must take after an event.
  struct Actions: OptionSet, Equatable {
    let rawValue: Int

    /// Begin the TLS handshake.
    static let secure = Actions(rawValue: 1)
    /// Submit more requests: the allowance may have grown.
    static let fill = Actions(rawValue: 2)
    /// Open a successor: this connection accepts no more requests.
    static let succeed = Actions(rawValue: 4)
    static let ping = Actions(rawValue: 8)
    /// Send GOAWAY and close: no request is open.
    static let close = Actions(rawValue: 16)
    /// Close immediately: the peer is unresponsive, and open requests are lost.
    static let abandon = Actions(rawValue: 32)
    /// Send CONNECT to the proxy.
    static let tunnel = Actions(rawValue: 64)
  }

  private(set) var phase = Phase.connecting
  private var enteredAt: Instant
  /// True if the peer accepts only one request at a time until it has seen a valid credential.
  private let needsProof: Bool
  /// True if the connection goes through a proxy.
  private let isTunnelled: Bool
  private var hasSettings = false
  private var hasGoodAnswer = false
  /// The number of requests that have timed out since the last answer.
  private var timeoutsInARow = 0
  private var pingedAt: Instant?
  /// The time since which the peer has allowed at most one concurrent request on the ready connection; nil if it allows
  /// more.
  private var collapsedAt: Instant?
  /// The time at which bytes last arrived from the peer, or at which the first request after an idle period was
  /// submitted, whichever is later.
  private var silentSince: Instant
  /// True if the peer has been silent for too long with requests open: no more are submitted until it sends something.
  private(set) var isStalled = false

  init(at now: Instant, needsProof: Bool = true, isTunnelled: Bool = false) {
    self.isTunnelled = isTunnelled
    enteredAt = now
    silentSince = now
    self.needsProof = needsProof
  }

  /// True while draining and after closing: no more requests are submitted.
  var isEnding: Bool { phase == .draining || phase == .closed }

  /// Returns the number of requests that may be submitted now. Can be negative if the limits were lowered while
  /// requests are in flight.
  /// - Parameters:
  ///   - capacity: how many more streams HTTP/2 permits now.
  ///   - cap: our own limit of concurrent requests.
  func allowance(capacity: Int, inFlight: Int, cap: Int) -> Int {
    switch phase {
    // Client certificates are checked in the TLS handshake, but the result is known only when SETTINGS arrive.
    case .probing: needsProof ? min(capacity, 1 - inFlight) : 0
    case .ready: isStalled ? 0 : min(capacity, cap - inFlight)
    default: 0
    }
  }

  // MARK: Events

  mutating func connected(at now: Instant) -> Actions {
    guard phase == .connecting else { return [] }
    enter(isTunnelled ? .tunnelling : .securing, now)
    return isTunnelled ? .tunnel : .secure
  }

  /// Records that the proxy has opened the tunnel to the network, and returns the action to begin the TLS handshake.
  mutating func tunnelled(at now: Instant) -> Actions {
    guard phase == .tunnelling else { return [] }
    enter(.securing, now)
    return .secure
  }

  mutating func secured(at now: Instant) -> Actions {
    guard phase == .securing else { return [] }
    enter(.probing, now)
    return .fill
  }

  /// Records that the peer's SETTINGS arrived, the first or changed ones.
  /// - Parameter streamLimit: number of concurrent requests that the peer allows now.
  mutating func settingsArrived(streamLimit: Int, at now: Instant) -> Actions {
    hasSettings = true
    // APNs lowers the limit to 1 for a while after it has refused a push; only a limit that stays at 1 is a fault.
    if streamLimit > 1 { collapsedAt = nil } else if phase == .ready, collapsedAt == nil { collapsedAt = now }
    return becomeReadyIfProven(now).union(.fill)
  }

  /// Records that a request was answered.
  /// - Parameter isForbidden: true for status 403, which does not prove that the credential is valid.
  mutating func answered(isForbidden: Bool, at now: Instant) -> Actions {
    timeoutsInARow = 0
    if !isForbidden { hasGoodAnswer = true }
    return becomeReadyIfProven(now).union(.fill)
  }

  private mutating func becomeReadyIfProven(_ now: Instant) -> Actions {
    guard phase == .probing, hasSettings, hasGoodAnswer || !needsProof else { return [] }
    enter(.ready, now)
    return .fill
  }

  /// Records that the peer is alive, because bytes have arrived.
  mutating func heard(at now: Instant) {
    silentSince = now
    pingedAt = nil
    isStalled = false
  }

  /// Restarts the silence timer, because a request is submitted on an idle connection.
  mutating func awakened(at now: Instant) {
    silentSince = max(silentSince, now)
  }

  /// Records that a request timed out. After three in a row, returns the action to send a PING, unless one is
  /// unanswered; after ten, retires the connection, which may still answer PINGs but loses requests.
  mutating func timedOut(inFlight: Int, at now: Instant) -> Actions {
    timeoutsInARow += 1
    if timeoutsInARow >= PushTransport.Limits.timeoutsBeforeRetiring { return retire(inFlight: inFlight, at: now) }
    guard timeoutsInARow >= PushTransport.Limits.timeoutsBeforePing, pingedAt == nil else { return [] }
    pingedAt = now
    return .ping
  }

  /// Starts draining, for example because of GOAWAY, an outdated provider token or too few remaining stream ids.
  /// Returns no actions if the connection is draining or closed already.
  mutating func retire(inFlight: Int, at now: Instant) -> Actions {
    guard !isEnding else { return [] }
    enter(.draining, now)
    return inFlight == 0 ? [.succeed, .close] : .succeed
  }

  /// Returns `close` if the connection is draining and no request is open, otherwise no actions.
  func drained(inFlight: Int) -> Actions {
    phase == .draining && inFlight == 0 ? .close : []
  }

  /// Checks all timeouts of the current phase: abandons an unresponsive connection, sends a PING on one that is silent
  /// for too long, and retires one whose peer has allowed only one request for too long. Called about once a second.
  mutating func ticked(inFlight: Int, at now: Instant) -> Actions {
    switch phase {
    case .connecting: return seconds(since: enteredAt, now) >= PushTransport.Limits.connectSeconds ? .abandon : []
    case .tunnelling: return seconds(since: enteredAt, now) >= ProxyTunnel.Limits.seconds ? .abandon : []
    case .securing: return seconds(since: enteredAt, now) >= PushTransport.Limits.handshakeSeconds ? .abandon : []
    case .closed: return []
    case .probing, .ready, .draining:
      if let pingedAt { return seconds(since: pingedAt, now) >= PushTransport.Limits.pingSeconds ? .abandon : [] }
      // Nothing else ends the wait for SETTINGS while no request is open, and no other connection is opened meanwhile.
      if phase == .probing, !hasSettings, seconds(since: enteredAt, now) >= PushTransport.Limits.settingsSeconds {
        return .abandon
      }
      if let collapsedAt, seconds(since: collapsedAt, now) >= PushTransport.Limits.collapsedSeconds, !isEnding {
        return retire(inFlight: inFlight, at: now)
      }
      let silence = seconds(since: silentSince, now)
      if inFlight > 0, silence >= PushTransport.Limits.stallSeconds {
        // Submit nothing more here until the PING is answered; other connections take over.
        isStalled = true
        pingedAt = now
        return .ping
      }
      let timeout = isTunnelled ? PushTransport.Limits.tunnelledIdlePingSeconds : PushTransport.Limits.idlePingSeconds
      guard silence >= timeout else { return [] }
      pingedAt = now
      return .ping
    }
  }

  private func seconds(since start: Instant, _ now: Instant) -> Int64 {
    (now - start).components.seconds
  }

  mutating func closed(at now: Instant) {
    enter(.closed, now)
  }

  private mutating func enter(_ next: Phase, _ now: Instant) {
    phase = next
    enteredAt = now
  }
}
