import Reactor
import Testing

@testable import PushTransport

@Suite struct ConnectionStateTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private func after(_ seconds: Int64) -> Instant { start + .seconds(seconds) }

  private func ready(isTunnelled: Bool = false) -> ConnectionState {
    var state = ConnectionState(at: start, isTunnelled: isTunnelled)
    _ = state.connected(at: start)
    _ = state.tunnelled(at: start)
    _ = state.secured(at: start)
    _ = state.settingsArrived(streamLimit: 1000, at: start)
    _ = state.answered(isForbidden: false, at: start)
    return state
  }

  @Test func `a connection is ready after settings and a first answer that is no 403, in either order`() {
    var state = ConnectionState(at: start)
    #expect(state.allowance(capacity: 1000, inFlight: 0, cap: 500) == 0)
    #expect(state.connected(at: start) == .secure)
    #expect(state.secured(at: start) == .fill)
    #expect(state.phase == .probing)
    #expect(state.allowance(capacity: 1000, inFlight: 0, cap: 500) == 1)
    #expect(state.allowance(capacity: 1000, inFlight: 1, cap: 500) == 0)
    _ = state.settingsArrived(streamLimit: 1000, at: start)
    #expect(state.phase == .probing)
    _ = state.answered(isForbidden: true, at: start)
    #expect(state.phase == .probing)
    _ = state.answered(isForbidden: false, at: start)
    #expect(state.phase == .ready)

    var other = ConnectionState(at: start)
    _ = other.connected(at: start)
    _ = other.secured(at: start)
    _ = other.answered(isForbidden: false, at: start)
    #expect(other.phase == .probing)
    _ = other.settingsArrived(streamLimit: 1, at: start)
    #expect(other.phase == .ready)
  }

  @Test func `a ready connection takes what the peer and we allow`() {
    let state = ready()
    #expect(state.allowance(capacity: 1000, inFlight: 0, cap: 500) == 500)
    #expect(state.allowance(capacity: 10, inFlight: 400, cap: 500) == 10)
    #expect(state.allowance(capacity: 1000, inFlight: 499, cap: 500) == 1)
  }

  @Test func `connecting and securing have ten seconds each`() {
    var state = ConnectionState(at: start)
    #expect(state.ticked(inFlight: 0, at: after(9)) == [])
    #expect(state.ticked(inFlight: 0, at: after(10)) == .abandon)
    _ = state.connected(at: after(9))
    #expect(state.ticked(inFlight: 0, at: after(18)) == [])
    #expect(state.ticked(inFlight: 0, at: after(19)) == .abandon)
  }

  @Test func `behind a proxy there is a tunnel first, which has ten seconds of its own`() {
    var state = ConnectionState(at: start, isTunnelled: true)
    #expect(state.connected(at: after(9)) == .tunnel && state.phase == .tunnelling)
    #expect(state.allowance(capacity: 1000, inFlight: 0, cap: 500) == 0)
    #expect(state.secured(at: after(9)) == [], "nothing is secured before the tunnel is there")
    #expect(state.ticked(inFlight: 0, at: after(18)) == [])
    #expect(state.ticked(inFlight: 0, at: after(19)) == .abandon)
    #expect(state.tunnelled(at: after(18)) == .secure && state.phase == .securing)
    #expect(state.tunnelled(at: after(18)) == [])
    #expect(state.ticked(inFlight: 0, at: after(27)) == [])
    #expect(state.ticked(inFlight: 0, at: after(28)) == .abandon)
    #expect(state.secured(at: after(20)) == .fill && state.phase == .probing)
    var straight = ConnectionState(at: start)
    #expect(straight.connected(at: start) == .secure && straight.tunnelled(at: start) == [])
  }

  @Test func `draining takes nothing, asks for a successor once, and closes when empty`() {
    var state = ready()
    #expect(state.retire(inFlight: 2, at: start) == .succeed)
    #expect(state.retire(inFlight: 2, at: start) == [])
    #expect(state.allowance(capacity: 1000, inFlight: 0, cap: 500) == 0)
    #expect(state.drained(inFlight: 1) == [])
    #expect(state.drained(inFlight: 0) == .close)
    var idle = ready()
    #expect(idle.retire(inFlight: 0, at: start) == [.succeed, .close])
  }

  @Test func `three requests given up in a row raise a PING, ten end the connection`() {
    var state = ready()
    #expect(state.timedOut(inFlight: 9, at: after(30)) == [])
    #expect(state.timedOut(inFlight: 8, at: after(30)) == [])
    #expect(state.timedOut(inFlight: 7, at: after(30)) == .ping)
    #expect(state.ticked(inFlight: 7, at: after(39)) == [])
    #expect(state.ticked(inFlight: 7, at: after(40)) == .abandon)
    state.heard(at: after(39))
    #expect(state.ticked(inFlight: 7, at: after(40)) == [])
    for _ in 4...9 { _ = state.timedOut(inFlight: 5, at: after(50)) }
    #expect(state.timedOut(inFlight: 1, at: after(50)) == .succeed)
    #expect(state.phase == .draining)
  }

  @Test func `an answer takes doubts back`() {
    var state = ready()
    _ = state.timedOut(inFlight: 9, at: after(30))
    _ = state.timedOut(inFlight: 8, at: after(30))
    _ = state.answered(isForbidden: false, at: after(31))
    #expect(state.timedOut(inFlight: 7, at: after(32)) == [])
  }

  @Test func `silence is broken by a PING every five minutes`() {
    var state = ready()
    #expect(state.ticked(inFlight: 0, at: after(299)) == [])
    #expect(state.ticked(inFlight: 0, at: after(301)) == .ping)
    #expect(state.ticked(inFlight: 0, at: after(302)) == [])
    state.heard(at: after(303))
    #expect(state.ticked(inFlight: 0, at: after(320)) == [])
    #expect(state.ticked(inFlight: 0, at: after(603)) == .ping)
  }

  @Test func `through a proxy the PING leaves well before five minutes are over`() {
    var state = ready(isTunnelled: true)
    #expect(state.phase == .ready && state.ticked(inFlight: 0, at: after(239)) == [])
    #expect(state.ticked(inFlight: 0, at: after(240)) == .ping)
  }

  @Test func `a limit that stays at one for a minute ends the connection, a short fall does not`() {
    var state = ready()
    _ = state.settingsArrived(streamLimit: 1, at: after(0))
    _ = state.settingsArrived(streamLimit: 1000, at: after(30))
    #expect(state.ticked(inFlight: 0, at: after(100)) == [])
    _ = state.settingsArrived(streamLimit: 1, at: after(100))
    state.heard(at: after(159))
    #expect(state.ticked(inFlight: 1, at: after(159)) == [])
    #expect(state.ticked(inFlight: 1, at: after(160)) == .succeed)
  }

  @Test func `silence while requests wait stops the connection and asks whether the peer lives`() {
    var state = ready()
    // Idle for long, then a request: silence counts from there.
    state.awakened(at: after(100))
    #expect(state.ticked(inFlight: 1, at: after(102)) == [] && !state.isStalled)
    #expect(state.ticked(inFlight: 1, at: after(103)) == .ping && state.isStalled)
    #expect(state.allowance(capacity: 1000, inFlight: 1, cap: 500) == 0)
    #expect(state.ticked(inFlight: 1, at: after(112)) == [])
    var dead = state
    #expect(dead.ticked(inFlight: 1, at: after(113)) == .abandon)
    state.heard(at: after(104))
    #expect(!state.isStalled && state.allowance(capacity: 1000, inFlight: 1, cap: 500) == 499)
    #expect(state.ticked(inFlight: 1, at: after(106)) == [])
  }

  @Test func `with a certificate nothing needs proof: settings are enough, and nothing is sent before them`() {
    var state = ConnectionState(at: start, needsProof: false)
    _ = state.connected(at: start)
    _ = state.secured(at: start)
    #expect(state.allowance(capacity: 1, inFlight: 0, cap: 500) == 0)
    _ = state.settingsArrived(streamLimit: 1000, at: start)
    #expect(state.phase == .ready)
  }

  @Test(arguments: [false, true])
  func `a peer that takes the handshake and then says nothing has ten seconds`(_ needsProof: Bool) {
    var state = ConnectionState(at: start, needsProof: needsProof)
    _ = state.connected(at: after(5))
    _ = state.secured(at: after(8))
    #expect(state.ticked(inFlight: 0, at: after(17)) == [])
    var silent = state
    #expect(silent.ticked(inFlight: 0, at: after(18)) == .abandon)
    // One that has sent its SETTINGS may wait for a first push for long.
    state.heard(at: after(17))
    _ = state.settingsArrived(streamLimit: 1000, at: after(17))
    #expect(state.ticked(inFlight: 0, at: after(100)) == [])
  }

  @Test func `a closed connection does nothing more`() {
    var state = ready()
    state.closed(at: start)
    #expect(state.ticked(inFlight: 0, at: after(1000)) == [])
    #expect(state.retire(inFlight: 0, at: start) == [])
    #expect(state.isEnding)
  }
}

@Suite struct BackOffTests {
  @Test func `waits double from one second to a minute, with jitter downwards, and begin again after success`() {
    var backOff = BackOff()
    let waits = (0..<9).map { _ in backOff.failed(jitter: 1) }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
    backOff.succeeded()
    #expect(backOff.failed(jitter: 0) == .milliseconds(500))
  }
}
