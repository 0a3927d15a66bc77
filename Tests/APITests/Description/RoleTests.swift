import HTTPServer
import Operations
import Testing

@testable import API

/// The document tells each role truly what it may do.
@Suite struct RoleTests {
  @Test func `the roles of each operation are those of its route`() {
    for route in AdminRoute.all {
      let operation = APIOperation.all.first { $0.method == route.method && $0.pattern == route.pattern }
      guard let permission = route.permission else {
        guard case .nothing? = operation?.proof else {
          Issue.record("\(route.method.rawValue) \(route.pattern) is documented as one that needs a credential")
          continue
        }
        continue
      }
      let allowed = Role.allCases.filter { $0.allows(permission) }.map(\.rawValue)
      guard case .apiKey(let roles)? = operation?.proof else {
        Issue.record("\(route.method.rawValue) \(route.pattern) is not documented as one that needs an API key")
        continue
      }
      #expect(Set(roles) == Set(allowed), "\(route.method.rawValue) \(route.pattern)")
    }
  }
}
