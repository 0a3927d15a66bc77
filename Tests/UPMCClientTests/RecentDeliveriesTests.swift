import Testing

@testable import UPMCClient

/// Pushes that the system reports to the app, some of them twice.
@Suite struct RecentDeliveriesTests {
  @Test func `a push that the system reports twice is handed on once, when it arrives and when it is opened`() throws {
    let push = try ConfirmationTroubleTests.payload("104")
    let other = try ConfirmationTroubleTests.payload("105")
    // When a tap starts the app: the launch options first, then the notification center's delegate.
    let reports: [(RecentDeliveries.Event, ReceivedPayload)] = [
      (.arrived, push), (.arrived, push), (.opened, push), (.opened, push), (.opened, other), (.arrived, push),
    ]
    var recent = RecentDeliveries()
    let isHandedOn = reports.map { recent.isFirst($0, of: $1) }
    #expect(isHandedOn == [true, false, true, false, true, false])
  }

  @Test func `the latest 100 are remembered, and not one more`() throws {
    let pushes = try (1...100).map { try ConfirmationTroubleTests.payload("\($0)") }
    var recent = RecentDeliveries()
    let first = pushes.map { recent.isFirst(.opened, of: $0) }
    let again = pushes.map { recent.isFirst(.opened, of: $0) }
    #expect(first == Array(repeating: true, count: 100) && again == Array(repeating: false, count: 100))
    let more = try ConfirmationTroubleTests.payload("101")
    let isNew = [more, pushes[0], pushes[99]].map { recent.isFirst(.opened, of: $0) }
    #expect(isNew == [true, true, false])
  }
}
