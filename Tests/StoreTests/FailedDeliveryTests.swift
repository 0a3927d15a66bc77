import Domain
import Testing

@testable import Store

/// The statements that list failed deliveries agree with the domain on which these are.
@Suite struct FailedDeliveryTests {
  @Test func `the statuses in SQL are those that the domain calls failures`() {
    let failures = OutcomeStatus.allCases.filter(\.isFailure).map { String($0.rawValue) }
    #expect(DeliveryPages.failures == failures.joined(separator: ", "))
  }
}
