import HTTPServer
import JSON
import Operations
import Testing

@testable import API

/// The document tells each role truly what it may do.
@Suite struct RoleTests {
  @Test func `the roles of each operation are those of its route`() {
    let paths = Document.make()["paths"]
    for endpoint in Endpoint.ofAdmin {
      let name = "\(endpoint.method.rawValue) \(endpoint.pattern)"
      let operation = paths?[endpoint.pattern]?[endpoint.method.rawValue.lowercased()]
      let roles = AdminRouteTests.allowed[name] ?? []
      let told = operation?["description"]?.string?.split(separator: "Roles that may: ").dropFirst().last
      guard endpoint.permission != nil else {
        #expect(told == nil && operation?["security"]?.elements.isEmpty == true, "\(name)")
        continue
      }
      let words = Role.allCases.filter(roles.contains).map(\.rawValue).joined(separator: ", ")
      #expect(!words.isEmpty && told.map(String.init) == "\(words).", "\(name)")
      #expect(operation?["security"]?.elements.first?["apiKey"] != nil, "\(name)")
    }
  }
}
