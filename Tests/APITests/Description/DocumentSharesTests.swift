import Domain
import Testing

@testable import API

/// The shares that the document tells are those of the server.
@Suite struct DocumentSharesTests {
  @Test func `the introduction names the shares as they are`() throws {
    let text = Introduction.text
    for sentence in [
      "A caller may have \(AdminLimits.waitingRequestsOfCaller) requests waiting",
      "all callers of an app together \(AdminLimits.waitingRequestsOfTenant).",
      "may have \(AdminLimits.liveViewsOfCaller) live views (`/events`) open and take out \(AdminLimits.exportsOfCaller) files",
      "one app's callers \(AdminLimits.liveViewsOfTenant) and \(AdminLimits.exportsOfTenant).",
    ] { #expect(text.contains(sentence), "\(sentence)") }
  }

  @Test func `every call that has a share says that it may be told to come back`() {
    for operation in Endpoint.all where operation.pattern.hasPrefix("/v1/admin/") {
      #expect(operation.problems.contains(.tooManyRequests), "\(operation.id)")
    }
  }
}
