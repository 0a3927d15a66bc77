import JSON
import Testing

@testable import API

/// The document hangs together.
@Suite struct DocumentTests {
  private static let document = Document.make()

  @Test func `every reference leads somewhere`() {
    var references: [String] = []
    Self.visit(Self.document) { name, node in
      if name == "$ref", let path = node.string { references.append(path) }
    }
    #expect(references.count > 100)
    for path in Set(references) {
      let parts = path.split(separator: "/")
      let found = parts.dropFirst().reduce(JSONTree?.some(Self.document)) { $0?[String($1)] }
      #expect(parts.first == "#" && found != nil, "\(path)")
    }
  }

  @Test func `every schema is used, and none is there twice`() {
    var used: Set<String> = []
    Self.visit(Self.document) { name, node in
      if name == "$ref", let path = node.string { used.insert(path) }
    }
    let names = Self.document["components"]?["schemas"]?.members.map(\.name) ?? []
    #expect(Set(names).count == names.count)
    for name in names { #expect(used.contains("#/components/schemas/\(name)"), "\(name)") }
  }

  @Test func `every parameter of a path is described`() {
    let known = Set(PathParameter.all.map(\.name))
    for operation in Endpoint.all {
      #expect(known.isSuperset(of: operation.pathParameters), "\(operation.pattern)")
    }
    #expect(known == Set(Endpoint.all.flatMap(\.pathParameters)), "a parameter that no path has")
  }

  @Test func `every operation has words, and every body and answer an example`() {
    for operation in Endpoint.all {
      #expect(!operation.summary.isEmpty && !operation.about.isEmpty, "\(operation.id)")
      #expect(operation.summary.last != ".", "\(operation.id): a summary is no sentence")
      // A file's bytes are no example to read.
      if let body = operation.body, body.type == "application/json" {
        #expect(!body.examples.isEmpty, "\(operation.id)")
      }
      for answer in operation.answers where answer.schema != nil && operation.pattern.hasPrefix("/v1/") {
        #expect(answer.example != nil, "\(operation.id) \(answer.status)")
      }
    }
  }

  @Test func `every link leads to an operation that has its parameters`() {
    for operation in Endpoint.all {
      for link in operation.answers.flatMap(\.links) {
        let target = Endpoint.all.first { $0.id == link.operation }
        for (name, _) in link.parameters {
          #expect(target?.pathParameters.contains(name) == true, "\(operation.id) → \(link.operation)")
        }
      }
    }
  }

  @Test func `no object has a member twice`() {
    Self.visit(Self.document) { name, node in
      let names = node.members.map(\.name)
      #expect(Set(names).count == names.count, "\(name): \(names)")
    }
  }

  @Test func `it is made the same each time`() {
    #expect(Document.make().bytes == Self.document.bytes)
  }

  static func visit(_ node: JSONTree, named name: String = "", _ body: (String, JSONTree) -> Void) {
    body(name, node)
    for (name, value) in node.members { visit(value, named: name, body) }
    for element in node.elements { visit(element, body) }
  }
}
