import Testing

@testable import Admin
@testable import OpenAPI

/// The shares that the document tells are those of the door.
@Suite struct SharesTests {
  @Test func `the introduction names the shares as they are`() throws {
    let text = Introduction.text
    for sentence in [
      "Of one caller \(Admin.Limits.waitingRequestsOfCaller) requests may wait",
      "of one app's callers \(Admin.Limits.waitingRequestsOfTenant).",
      "may have \(Admin.Limits.liveViewsOfCaller) live views (`/events`) open and take out \(Admin.Limits.exportsOfCaller) files",
      "one app's callers \(Admin.Limits.liveViewsOfTenant) and \(Admin.Limits.exportsOfTenant).",
    ] { #expect(text.contains(sentence), "\(sentence)") }
  }
}
