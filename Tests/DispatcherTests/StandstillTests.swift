import Reactor
import Testing

@testable import Dispatcher
@testable import Domain

@Suite struct StandstillTests {
  private let route = PushRoute(app: 1, network: .apns, environment: .production)
  private let other = PushRoute(app: 1, network: .apns, environment: .sandbox)
  private let start = Instant(nanoseconds: 1_000_000_000_000)

  @Test func `the longer a route gives back the less often it is asked, within bounds`() {
    let table: [(after: Duration, bulk: Duration, urgent: Duration)] = [
      (.zero, .milliseconds(100), .milliseconds(100)),
      (.milliseconds(10), .milliseconds(100), .milliseconds(100)),
      (.seconds(1), .milliseconds(250), .milliseconds(250)),
      (.seconds(4), .seconds(1), .milliseconds(400)),
      (.seconds(3600), .seconds(2), .milliseconds(400)),
    ]
    for (after, bulk, urgent) in table {
      var standstills = RouteOutageBackoff()
      // What is given back comes again, each second here.
      for second in 0..<after.components.seconds {
        _ = standstills.pause(route, .bulk, at: start + .seconds(second))
      }
      #expect(standstills.pause(route, .bulk, at: start + after) == bulk)
      #expect(standstills.pause(route, .urgent, at: start + after) == urgent)
    }
  }

  @Test func `one answer ends it, and no route suffers for another`() {
    var standstills = RouteOutageBackoff()
    for second in Int64(0)..<60 { _ = standstills.pause(route, .bulk, at: start + .seconds(second)) }
    let later = start + .seconds(60)
    #expect(standstills.pause(other, .bulk, at: later) == .milliseconds(100))
    #expect(standstills.pause(route, .bulk, at: later) == .seconds(2))
    standstills.answered(route)
    #expect(standstills.pause(route, .bulk, at: later) == .milliseconds(100))
  }

  @Test func `an outage that ended without an answer does not make the next one look long`() {
    var standstills = RouteOutageBackoff()
    for second in Int64(0)...60 { _ = standstills.pause(route, .bulk, at: start + .seconds(second)) }
    #expect(standstills.pause(route, .bulk, at: start + .seconds(64)) == .seconds(2), "a retry is late at times")
    // The messages expired; a day later another one is given back.
    let nextDay = start + .seconds(86_400)
    #expect(standstills.pause(route, .bulk, at: nextDay) == .milliseconds(100))
    #expect(standstills.pause(route, .bulk, at: nextDay + .seconds(1)) == .milliseconds(250))
  }

  @Test func `deliveries that must leave the memory wait as long as the outage has lasted, within bounds`() {
    let table: [(after: Int64, bulk: Duration?, urgent: Duration?)] = [
      (0, nil, nil), (4, nil, nil), (5, .seconds(5), .seconds(5)), (60, .seconds(60), .seconds(10)),
      (3600, .seconds(300), .seconds(10)),
    ]
    for (after, bulk, urgent) in table {
      var standstills = RouteOutageBackoff()
      for second in 0...after { _ = standstills.pause(route, .bulk, at: start + .seconds(second)) }
      #expect(standstills.deferral(route, .bulk, at: start + .seconds(after)) == bulk)
      #expect(standstills.deferral(route, .urgent, at: start + .seconds(after)) == urgent)
      #expect(standstills.deferral(other, .bulk, at: start + .seconds(after)) == nil)
      standstills.answered(route)
      #expect(standstills.deferral(route, .bulk, at: start + .seconds(after)) == nil)
    }
  }

  @Test func `what is too old goes again at once, then later and later, and long without an answer it is a circle`() {
    var standstills = RouteOutageBackoff()
    #expect(standstills.pauseStale(route, .bulk, at: start) == .zero)
    #expect(standstills.pauseStale(route, .bulk, at: start + .seconds(2)) == .milliseconds(500))
    #expect(!standstills.areInCircle(at: start + .seconds(2)))
    for second in stride(from: Int64(4), through: 60, by: 2) {
      _ = standstills.pauseStale(route, .bulk, at: start + .seconds(second))
    }
    let later = start + .seconds(60)
    #expect(standstills.pauseStale(route, .bulk, at: later) == .seconds(2))
    #expect(standstills.pauseStale(route, .urgent, at: later) == .milliseconds(400))
    standstills.answered(other)
    #expect(standstills.areInCircle(at: later))
    // Nothing comes back any more: it left, or its message is over.
    #expect(!standstills.areInCircle(at: later + .seconds(6)))
    #expect(standstills.pauseStale(route, .bulk, at: later + .seconds(6)) == .zero)
  }

  @Test func `an answer ends the circle`() {
    var standstills = RouteOutageBackoff()
    for second in Int64(0)...9 { _ = standstills.pauseStale(route, .bulk, at: start + .seconds(second)) }
    #expect(standstills.areInCircle(at: start + .seconds(9)))
    standstills.answered(route)
    #expect(!standstills.areInCircle(at: start + .seconds(9)))
    #expect(standstills.pauseStale(route, .bulk, at: start + .seconds(9)) == .zero)
  }
}
