import Domain
import Testing

@testable import Admin
@testable import OpenAPI

/// The shares that the document tells are those of the door.
@Suite struct SharesTests {
  @Test func `the introduction names the shares as they are`() throws {
    let text = Introduction.text
    for sentence in [
      "A caller may have \(Admin.Limits.waitingRequestsOfCaller) requests waiting",
      "all callers of an app together \(Admin.Limits.waitingRequestsOfTenant).",
      "may have \(Admin.Limits.liveViewsOfCaller) live views (`/events`) open and take out \(Admin.Limits.exportsOfCaller) files",
      "one app's callers \(Admin.Limits.liveViewsOfTenant) and \(Admin.Limits.exportsOfTenant).",
    ] { #expect(text.contains(sentence), "\(sentence)") }
  }

  @Test func `every call that has a share says that it may be told to come back`() {
    for operation in APIOperation.all where operation.pattern.hasPrefix("/v1/admin/") {
      #expect(operation.problems.contains(.tooManyRequests), "\(operation.id)")
    }
  }
}
