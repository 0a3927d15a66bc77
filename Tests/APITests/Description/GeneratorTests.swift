import Domain
import JSON
import Operations
import Testing

@testable import API

/// What generators of clients need of the document, beside that it is valid: forms that they have classes for, and a name
/// for each class.
@Suite struct GeneratorTests {
  private static let document = Document.make()

  /// Every schema of the document with its place, from the outermost to the innermost.
  private static let schemas: [(place: String, schema: JSONTree)] = {
    var found: [(String, JSONTree)] = []
    visit(document, at: "") { found.append(($0, $1)) }
    return found
  }()

  private static func visit(_ node: JSONTree, at place: String, _ body: (String, JSONTree) -> Void) {
    // Examples are no schemas.
    if ["example", "examples", "value"].contains(place.split(separator: "/").last) { return }
    if case .object = node { body(place, node) }
    for (name, member) in node.members { visit(member, at: "\(place)/\(name)", body) }
    for (index, element) in node.elements.enumerated() { visit(element, at: "\(place)/\(index)", body) }
  }

  private static func isNull(_ schema: JSONTree) -> Bool {
    schema["type"]?.string == "null"
  }

  private static func types(_ schema: JSONTree) -> [String] {
    let rule = schema["type"] ?? .list([])
    return (rule.elements.isEmpty ? [rule] : rule.elements).compactMap(\.string)
  }

  @Test func `no schema is a constant, and every list of words says of what type they are`() {
    for (place, schema) in Self.schemas where schema["enum"] != nil || schema["const"] != nil {
      if place.hasSuffix("/properties") { continue }
      #expect(schema["const"] == nil, "\(place): write an enum of one word")
      // What must not be is in no class.
      #expect(schema["type"] != nil || place.hasSuffix("/not"), "\(place) has an enum without a type")
    }
  }

  @Test func `null is no type of its own, but beside an object that has a name`() {
    for (place, schema) in Self.schemas {
      if Self.isNull(schema) { #expect(place.contains("/oneOf/"), "\(place) is always null") }
      let types = Self.types(schema)
      #expect(
        types.count < 2 || types.count == 2 && types[1] == "null" && types[0] != "object", "\(place) is \(types)")
    }
  }

  @Test func `every branch of a choice has a title or is a named schema`() {
    for (place, schema) in Self.schemas {
      for branch in schema["oneOf"]?.elements ?? [] {
        #expect(
          branch["title"] != nil || branch["$ref"] != nil || Self.isNull(branch), "\(place) has a branch without a name"
        )
      }
      #expect(schema["anyOf"] == nil && schema["allOf"] == nil, "\(place) is composed; write it as one schema")
    }
  }

  @Test func `a title means one schema, and one that is needed twice in a schema is a named one`() {
    let names = Set((Self.document["components"]?["schemas"]?.members ?? []).map(\.name))
    var known: [String: JSONTree] = [:]
    var places: Set<String> = []
    for (place, schema) in Self.schemas {
      guard let title = schema["title"]?.string, place.contains("/schema") else { continue }
      #expect(!names.contains(title), "\(place): there is a named schema \(title)")
      let plain = JSONTree.object(schema.members.filter { $0.name != "description" })
      if let other = known[title] { #expect(other.bytes == plain.bytes, "\(title) is two schemas") }
      known[title] = plain
      let owner = place.split(separator: "/").prefix(3).joined(separator: "/")
      #expect(places.insert("\(owner) \(title)").inserted, "\(owner) has \(title) twice: give it a name")
    }
    #expect(known.count > 50)
  }

  @Test func `everything that goes wrong has the one schema of problems`() {
    for (name, response) in Self.document["components"]?["responses"]?.members ?? [] {
      let content = response["content"]?["application/problem+json"]?["schema"]?["$ref"]?.string
      #expect(content == "#/components/schemas/Problem", "\(name)")
      #expect(response["x-problemTypes"]?.elements.isEmpty == false, "\(name)")
    }
  }

  @Test func `every cursor needs no escaping in a URL`() throws {
    let pattern = JSONSchema.cursor["pattern"]?.string
    var cursors = 0
    for (place, schema) in Self.schemas {
      if schema["name"]?.string == "cursor" { #expect(schema["schema"]?["pattern"]?.string == pattern, "\(place)") }
      guard let next = schema["nextCursor"], place.hasSuffix("/properties") else { continue }
      cursors += 1
      #expect(next["pattern"]?.string == pattern, "\(place)")
    }
    #expect(cursors > 20)
    for place in ["kim 01", "김하늘", "a&b=c#d?e", "184a4c05-0000 g+/", "\u{1F600}"] {
      let cursor = PageRequest.cursor(behind: place)
      #expect(cursor.utf8.allSatisfy { (0x30...0x7A).contains($0) || $0 == 0x2D } && !cursor.contains("="), "\(cursor)")
      #expect(try PageRequest.place(behind: cursor) == place)
    }
  }

  /// Ids that the SDK's protocol names, and the two that are members of what they are the id of.
  private static let otherIDs: Set<String> = ["device", "seqno", "groupSeq", "clientUid"]

  @Test func `an id has one name, in paths and in bodies`() {
    let named = PathParameter.all.filter { JSONSchema.sequence.bytes == $0.schema.bytes || $0.name.hasSuffix("Id") }
    for parameter in named where !Self.otherIDs.contains(parameter.name) {
      #expect(parameter.name.hasSuffix("Id"), "{\(parameter.name)}")
      let isAnswered = Self.schemas.contains { $0.place.hasSuffix("/properties/\(parameter.name)") }
      #expect(isAnswered, "no answer names \(parameter.name)")
    }
    // What an answer calls only by the name of the thing.
    let things = Set(named.map(\.name).filter { $0.hasSuffix("Id") }.map { String($0.dropLast(2)) })
    for (place, schema) in Self.schemas {
      for (name, property) in place.hasSuffix("/properties") ? schema.members : [] where things.contains(name) {
        #expect(
          property["pattern"]?.string != JSONSchema.sequence["pattern"]?.string, "\(place)/\(name): write \(name)Id")
      }
    }
  }
}
