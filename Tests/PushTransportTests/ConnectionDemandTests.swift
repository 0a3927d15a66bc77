import Testing

@testable import PushTransport

@Suite struct ConnectionDemandTests {
  /// Seoul to California with a campaign behind it: 500 under way on each connection, 20,000 waiting.
  private func campaign(roundTrip: Double, present: Int) -> ConnectionDemand {
    var demand = ConnectionDemand()
    demand.inFlight = 500 * present
    demand.backlog = 20_000
    demand.roundTrip = roundTrip
    demand.perConnection = 500
    demand.present = present
    return demand
  }

  @Test func `the longer the way, the more connections`() {
    #expect(campaign(roundTrip: 0.002, present: 1).connections(atMost: 100) == 2)
    #expect(campaign(roundTrip: 0.040, present: 1).connections(atMost: 100) == 8)
    #expect(campaign(roundTrip: 0.150, present: 1).connections(atMost: 100) == 25)
  }

  @Test func `Little's law: what is under way and what waits, divided by what one holds`() {
    var demand = ConnectionDemand()
    demand.inFlight = 900
    demand.backlog = 1000
    demand.roundTrip = 0.125  // half of the time in which the backlog should be gone
    demand.perConnection = 100
    #expect(demand.streams == 1400)
    #expect(demand.connections(atMost: 100) == 14)
    #expect(demand.connections(atMost: 8) == 8)
  }

  @Test func `a way longer than the backlog may take wants all of it under way at once`() {
    var demand = ConnectionDemand()
    demand.backlog = 600
    demand.roundTrip = 3
    demand.perConnection = 100
    #expect(demand.connections(atMost: 100) == 6)
  }

  @Test func `no work needs none, a single push one`() {
    var demand = ConnectionDemand()
    #expect(demand.connections(atMost: 8) == 0)
    demand.backlog = 1
    #expect(demand.connections(atMost: 8) == 1)
  }

  @Test func `an urgent push that finds all streams taken gets a connection at once`() {
    var demand = ConnectionDemand()
    demand.inFlight = 2
    demand.backlog = 1
    demand.present = 2
    demand.perConnection = 500
    #expect(demand.connections(atMost: 8) == 1)
    demand.isUrgent = true
    #expect(demand.connections(atMost: 8) == 3)
  }

  @Test func `who waits for long gets one more than there are`() {
    var demand = ConnectionDemand()
    demand.inFlight = 50
    demand.backlog = 100
    demand.perConnection = 50
    demand.present = 3
    #expect(demand.connections(atMost: 8) == 1)
    demand.waited = 0.25
    #expect(demand.connections(atMost: 8) == 4)
    #expect(demand.connections(atMost: 3) == 3)
  }
}
