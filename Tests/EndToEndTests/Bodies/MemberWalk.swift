import JSON
import Testing

@testable import API

/// Every member that the document names in a request, and the bodies that have something else in its place.
struct MemberWalk {
  struct Place {
    /// A JSON pointer.
    let name: String
    /// What the schema allows: `string`, `object` …
    let types: Set<String>
    /// The operation's example with a text in this place.
    let body: (String) -> String
  }

  private enum Limits {
    /// Members within members.
    static let depth = 3
  }

  private let check: SchemaCheck
  /// Schemas whose members have been walked: they are read by the same code wherever they stand.
  private var walked: Set<String> = []
  private(set) var count = 0

  init(_ check: SchemaCheck) {
    self.check = check
  }

  mutating func places(of body: Endpoint.Body) -> [Place] {
    var places: [Place] = []
    let example = JSONTree.json(ExampleStage.withComingDays(body.examples.first?.json ?? "{}"))
    walk(JSONSchema.reference(body.schema), example, at: "", depth: 1, into: &places) { $0 }
    count += places.count
    return places
  }

  private mutating func walk(
    _ schema: JSONTree, _ example: JSONTree, at pointer: String, depth: Int, into places: inout [Place],
    _ outer: @escaping (String) -> String
  ) {
    for (name, member) in members(of: schema) {
      let place = Place(name: "\(pointer)/\(name)", types: types(of: member)) { outer(Self.object(example, name, $0)) }
      add(place, member, example[name], depth, into: &places)
    }
    guard let items = resolved(schema)["items"] else { return }
    let place = Place(name: "\(pointer)/0", types: types(of: items)) { outer("[\($0)]") }
    add(place, items, example.elements.first, depth, into: &places)
  }

  private mutating func add(
    _ place: Place, _ schema: JSONTree, _ example: JSONTree?, _ depth: Int, into places: inout [Place]
  ) {
    places.append(place)
    if let name = schema["$ref"]?.string, !walked.insert(name).inserted { return }
    guard depth < Limits.depth else { return }
    walk(schema, example ?? .object([]), at: place.name, depth: depth + 1, into: &places, place.body)
  }

  private static func object(_ example: JSONTree, _ name: String, _ worst: String) -> String {
    let others = example.members.filter { $0.name != name }
      .map { "\"\($0.name)\":" + String(decoding: $0.value.bytes, as: UTF8.self) }
    return "{" + (others + ["\"\(name)\":\(worst)"]).joined(separator: ",") + "}"
  }

  // MARK: Schemas

  private func resolved(_ schema: JSONTree) -> JSONTree { check.resolved(schema) }

  private func variants(of schema: JSONTree) -> [JSONTree] {
    let schema = resolved(schema)
    return [schema] + ["allOf", "oneOf", "anyOf"].flatMap { schema[$0]?.elements ?? [] }.flatMap(variants)
  }

  private func members(of schema: JSONTree) -> [JSONTree.Member] {
    var names: Set<String> = []
    return variants(of: schema).flatMap { $0["properties"]?.members ?? [] }.filter { names.insert($0.name).inserted }
  }

  private func types(of schema: JSONTree) -> Set<String> {
    var types: Set<String> = []
    for variant in variants(of: schema) {
      if let type = variant["type"] { types.formUnion(type.string.map { [$0] } ?? type.elements.compactMap(\.string)) }
      if variant["enum"] != nil || variant["const"] != nil { types.insert("string") }
    }
    return Set(types.map { $0 == "integer" ? "number" : $0 })
  }
}
