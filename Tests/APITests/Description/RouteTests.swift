import HTTPServer
import JSON
import Testing

@testable import API

/// The document and the routers name the same operations.
@Suite struct RouteTests {
  static let routed: [String] = {
    var names = Endpoint.router(Endpoint.ofDevices).routes.map { name($0.method, $0.pattern) }
    names += Endpoint.router(Endpoint.ofAdmin).routes.map { name($0.method, $0.pattern) }
    names += Endpoint.server.map { name($0.method, $0.pattern) }
    names += Controller.byName.keys.map { name(.post, "/upmc/\($0).ctl") }
    return names
  }()

  private static let paths = Document.make()["paths"]?.members ?? []

  static let documented = paths.flatMap { path, operations in
    operations.members.filter { $0.name != "parameters" }.map { "\($0.name.uppercased()) \(path)" }
  }

  private static func name(_ method: Method, _ pattern: String) -> String { "\(method.rawValue) \(pattern)" }

  @Test func `every route is in the document`() {
    let missing = Set(Self.routed).subtracting(Self.documented).sorted()
    #expect(
      missing.isEmpty,
      """
      Not in the API's document: \(missing.joined(separator: "; ")).
      Name the file of the endpoint in Endpoint.all, a new file of schemas in Schemas.all, and a new {name} in a path in \
      PathParameter.all.
      """)
  }

  @Test func `every operation of the document is routed`() {
    let invented = Set(Self.documented).subtracting(Self.routed).sorted()
    #expect(invented.isEmpty, "In the API's document, but no router knows them: \(invented.joined(separator: "; "))")
  }

  @Test func `every operation lists the parameters that its route takes, and no other`() {
    #expect(Endpoint.all.contains { !$0.query.isEmpty })
    for endpoint in Endpoint.all {
      let operation = Self.paths.first { $0.name == endpoint.pattern }?.value[endpoint.method.rawValue.lowercased()]
      let listed = operation?["parameters"]?.elements.filter { $0["in"]?.string == "query" } ?? []
      #expect(listed.compactMap { $0["name"]?.string } == endpoint.query, "\(endpoint.id)")
    }
  }

  @Test func `no operation is there twice`() {
    #expect(Set(Self.documented).count == Self.documented.count)
    #expect(Set(Self.routed).count == Self.routed.count)
    #expect(Set(Endpoint.all.map(\.id)).count == Endpoint.all.count)
    #expect(Self.documented.count == Endpoint.all.count)
  }
}
