internal import HTTPClient
internal import Reactor

/// What a connection may do and must do next. Pure: events in, actions out; no socket, no clock.
///
/// The essay of this module (`PushTransport`) shows the state diagram.
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

  /// What the driver must do now.
  struct Actions: OptionSet, Equatable {
    let rawValue: Int

    /// Begin the TLS handshake.
    static let secure = Actions(rawValue: 1)
    /// More requests may be submitted than before.
    static let fill = Actions(rawValue: 2)
    /// Open the next connection: this one takes no more requests.
    static let succeed = Actions(rawValue: 4)
    static let ping = Actions(rawValue: 8)
    /// Send GOAWAY and close: nothing is in flight.
    static let close = Actions(rawValue: 16)
    /// Close at once: the peer is dead. Requests in flight are lost.
    static let abandon = Actions(rawValue: 32)
    /// Ask the proxy for a tunnel to the network.
    static let tunnel = Actions(rawValue: 64)
  }

  private(set) var phase = Phase.connecting
  private var enteredAt: Instant
  /// The peer allows only one request until it has seen a valid provider token.
  private let needsProof: Bool
  /// It connects to a proxy.
  private let isTunnelled: Bool
  private var hasSettings = false
  private var hasGoodAnswer = false
  /// Requests that timed out since the last answer.
  private var timeoutsInARow = 0
  private var pingedAt: Instant?
  /// Since when the peer has allowed no more than one request.
  private var collapsedAt: Instant?
  /// The peer's last sign of life, or the first request after an idle period.
  private var silentSince: Instant
  /// Silent for too long with requests waiting: nothing more is submitted until the peer sends something.
  private(set) var isStalled = false

  init(at now: Instant, needsProof: Bool = true, isTunnelled: Bool = false) {
    self.isTunnelled = isTunnelled
    enteredAt = now
    silentSince = now
    self.needsProof = needsProof
  }

  /// True if nothing more is submitted on it.
  var isEnding: Bool { phase == .draining || phase == .closed }

  /// Number of requests that may be submitted now.
  /// - Parameters:
  ///   - capacity: what HTTP/2 allows now.
  ///   - cap: our own limit of requests in flight.
  func allowance(capacity: Int, inFlight: Int, cap: Int) -> Int {
    switch phase {
    // A certificate is judged in the handshake, but the verdict is only known with SETTINGS.
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

  /// The proxy has opened the tunnel to the network.
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

  /// - Parameter streamLimit: number of requests that the peer allows now.
  mutating func settingsArrived(streamLimit: Int, at now: Instant) -> Actions {
    hasSettings = true
    // APNs lowers the limit to 1 for a while after it has refused a push; only a limit that stays there is a fault.
    if streamLimit > 1 { collapsedAt = nil } else if phase == .ready, collapsedAt == nil { collapsedAt = now }
    return becomeReadyIfProven(now).union(.fill)
  }

  /// - Parameter isForbidden: the answer was a 403, which proves nothing.
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

  /// Bytes arrived: the peer is alive.
  mutating func heard(at now: Instant) {
    silentSince = now
    pingedAt = nil
    isStalled = false
  }

  /// A request is submitted on an idle connection: silence counts from here.
  mutating func awakened(at now: Instant) {
    silentSince = max(silentSince, now)
  }

  /// A request timed out. Three in a row raise doubts; ten on a connection that still answers PINGs mean that it takes
  /// requests and forgets them.
  mutating func timedOut(inFlight: Int, at now: Instant) -> Actions {
    timeoutsInARow += 1
    if timeoutsInARow >= PushTransport.Limits.timeoutsBeforeRetiring { return retire(inFlight: inFlight, at: now) }
    guard timeoutsInARow >= PushTransport.Limits.timeoutsBeforePing, pingedAt == nil else { return [] }
    pingedAt = now
    return .ping
  }

  /// Takes no more requests, because of GOAWAY, a stuck token, or stream ids running low.
  mutating func retire(inFlight: Int, at now: Instant) -> Actions {
    guard !isEnding else { return [] }
    enter(.draining, now)
    return inFlight == 0 ? [.succeed, .close] : .succeed
  }

  /// A request of a draining connection has ended.
  func drained(inFlight: Int) -> Actions {
    phase == .draining && inFlight == 0 ? .close : []
  }

  /// Called about once a second.
  mutating func ticked(inFlight: Int, at now: Instant) -> Actions {
    switch phase {
    case .connecting: return seconds(since: enteredAt, now) >= PushTransport.Limits.connectSeconds ? .abandon : []
    case .tunnelling: return seconds(since: enteredAt, now) >= ProxyTunnel.Limits.seconds ? .abandon : []
    case .securing: return seconds(since: enteredAt, now) >= PushTransport.Limits.handshakeSeconds ? .abandon : []
    case .closed: return []
    case .probing, .ready, .draining:
      if let pingedAt { return seconds(since: pingedAt, now) >= PushTransport.Limits.pingSeconds ? .abandon : [] }
      if let collapsedAt, seconds(since: collapsedAt, now) >= PushTransport.Limits.collapsedSeconds, !isEnding {
        return retire(inFlight: inFlight, at: now)
      }
      let silence = seconds(since: silentSince, now)
      if inFlight > 0, silence >= PushTransport.Limits.stallSeconds {
        // Other connections take over while a PING finds out whether the peer is alive.
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
