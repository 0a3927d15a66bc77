import HTTPServer
import Testing

@testable import API

/// The document and the routers name the same operations.
@Suite struct RouteTests {
  static let routed: [String] = {
    var names = DeviceDoor.routes.map { name($0.method, $0.pattern) }
    names += AdminRoute.all.map { name($0.method, $0.pattern) }
    names += HealthDoor.routes.map { name($0.0, $0.1) }
    names += MetricsDoor.routes.map { name($0.0, $0.1) }
    names += DocumentDoor.routes.map { name($0.0, $0.1) }
    names += Controller.all.map { name(.post, "/upmc/\($0.name).ctl") }
    return names
  }()

  static let documented = APIOperation.all.map { name($0.method, $0.pattern) }

  private static func name(_ method: Method, _ pattern: String) -> String { "\(method.rawValue) \(pattern)" }

  @Test func `every route is in the document`() {
    let missing = Set(Self.routed).subtracting(Self.documented).sorted()
    #expect(
      missing.isEmpty,
      """
      Not in the API's document: \(missing.joined(separator: "; ")).
      Add an APIOperation for each to the file of its area in Sources/API/Description/Operations: method and pattern as in the \
      router, an id, a summary, its body and answers (schemas are in Sources/API/Description/Schemas) with an example each, and \
      the problem codes it may give beyond those of its credential and body. A new file of operations is named in \
      APIOperation.all, a new file of schemas in Schemas.all, a new {name} in a path in PathParameter.all. The essay in \
      Sources/API/API.swift says more.
      """)
  }

  @Test func `every operation of the document is routed`() {
    let invented = Set(Self.documented).subtracting(Self.routed).sorted()
    #expect(invented.isEmpty, "In the API's document, but no router knows them: \(invented.joined(separator: "; "))")
  }

  @Test func `every operation lists the parameters that its route takes, and no other`() {
    var taken = DeviceDoor.routes.map { (Self.name($0.method, $0.pattern), $0.query) }
    taken += AdminRoute.all.map { (Self.name($0.method, $0.pattern), $0.query) }
    #expect(taken.contains { !$0.1.isEmpty })
    for (name, query) in taken {
      let operation = APIOperation.all.first { Self.name($0.method, $0.pattern) == name }
      let listed = operation?.parameters.filter { $0.place == .query }.map(\.name) ?? []
      #expect(listed.sorted() == query.sorted(), "\(name): the document lists \(listed), its route takes \(query)")
    }
  }

  @Test func `no operation is there twice`() {
    #expect(Set(Self.documented).count == Self.documented.count)
    #expect(Set(Self.routed).count == Self.routed.count)
    #expect(Set(APIOperation.all.map(\.id)).count == APIOperation.all.count)
  }
}
