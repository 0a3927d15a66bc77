import JSON
import Foundation

@testable import API

/// Holds a value against a schema of the API's document: the part of JSON Schema that the document uses, and nothing
/// that it would silently pass over.
struct SchemaCheck {
  let document: JSONTree

  /// What is wrong; empty when all is well. Members that the schema does not know are wrong, too: they are missing from
  /// the document.
  func faults(_ value: JSONTree, _ schema: JSONTree, at place: String = "") -> [String] {
    schema.members.flatMap { keyword, rule -> [String] in
      switch keyword {
      case "$ref": return faults(value, resolved(schema), at: place)
      case "type": return types(rule).contains { isKind($0, value) } ? [] : ["\(place) is no \(types(rule))"]
      case "enum": return rule.elements.contains { $0.bytes == value.bytes } ? [] : ["\(place) is not in the list"]
      case "allOf": return rule.elements.flatMap { faults(value, $0, at: place) }
      case "not": return faults(value, rule, at: place).isEmpty ? ["\(place) is what it must not be"] : []
      case "oneOf":
        let all = rule.elements.map { faults(value, $0, at: place) }
        let fitting = all.count { $0.isEmpty }
        return fitting == 1 ? [] : ["\(place) fits \(fitting) of \(all.count): \(all)"]
      case "properties", "required", "additionalProperties", "dependentRequired", "propertyNames":
        return object(value, schema, keyword, rule, at: place)
      case "contentSchema": return faults(ofText: value, rule, at: place)
      case "items": return value.elements.enumerated().flatMap { faults($1, rule, at: "\(place)/\($0)") }
      default: return scalar(value, keyword, rule, at: place)
      }
    } + unknownMembers(value, schema, at: place)
  }

  /// Follows one reference.
  func resolved(_ node: JSONTree) -> JSONTree {
    guard let path = node["$ref"]?.string else { return node }
    return path.split(separator: "/").dropFirst().reduce(JSONTree?.some(document)) { $0?[String($1)] } ?? .object([])
  }

  /// JSON within a string, as FCM's data has it.
  private func faults(ofText value: JSONTree, _ schema: JSONTree, at place: String) -> [String] {
    guard let text = value.string, let inner = try? JSONTree(parsing: Array(text.utf8)) else {
      return ["\(place) holds no JSON"]
    }
    return faults(inner, schema, at: "\(place)/…")
  }

  // MARK: Objects

  private func object(
    _ value: JSONTree, _ schema: JSONTree, _ keyword: String, _ rule: JSONTree, at place: String
  ) -> [String] {
    guard case .object(let members) = value else { return [] }
    switch keyword {
    case "properties":
      return members.flatMap { name, member in rule[name].map { faults(member, $0, at: "\(place)/\(name)") } ?? [] }
    case "required":
      return rule.elements.compactMap(\.string).filter { value[$0] == nil }.map { "\(place)/\($0) is missing" }
    case "additionalProperties" where rule.string != "false":
      return members.filter { schema["properties"]?[$0.name] == nil }
        .flatMap { faults($0.value, rule, at: "\(place)/\($0.name)") }
    case "dependentRequired":
      return rule.members.filter { value[$0.name] != nil }.flatMap(\.value.elements).compactMap(\.string)
        .filter { value[$0] == nil }.map { "\(place)/\($0) is missing beside another" }
    case "propertyNames":
      return members.filter { !faults(.text($0.name), rule).isEmpty }.map { "\(place)/\($0.name) is forbidden" }
    default: return []
    }
  }

  private func unknownMembers(_ value: JSONTree, _ schema: JSONTree, at place: String) -> [String] {
    guard schema["type"]?.string == "object", let known = schema["properties"],
      schema["additionalProperties"]?.members.isEmpty ?? true
    else { return [] }
    return value.members.filter { known[$0.name] == nil }.map { "\(place)/\($0.name) is not in the document" }
  }

  // MARK: Scalars

  private func types(_ rule: JSONTree) -> [String] {
    (rule.elements.isEmpty ? [rule] : rule.elements).compactMap(\.string)
  }

  private func isKind(_ type: String, _ value: JSONTree) -> Bool {
    switch (type, value) {
    case ("object", .object), ("array", .list), ("string", .text): true
    case ("null", .word(let word)): word == "null"
    case ("boolean", .word(let word)): word == "true" || word == "false"
    case ("integer", .word(let word)): Int64(word) != nil
    case ("number", .word(let word)): Double(word) != nil
    default: false
    }
  }

  private func scalar(_ value: JSONTree, _ keyword: String, _ rule: JSONTree, at place: String) -> [String] {
    let bound = Int64(rule.string ?? "") ?? 0
    let isKept: Bool
    switch (keyword, value) {
    case ("minimum", .word(let word)): isKept = Int64(word).map { $0 >= bound } ?? true
    case ("maximum", .word(let word)): isKept = Int64(word).map { $0 <= bound } ?? true
    case ("minLength", .text(let text)): isKept = text.unicodeScalars.count >= bound
    case ("maxLength", .text(let text)): isKept = text.unicodeScalars.count <= bound
    case ("x-maxBytes", .text(let text)): isKept = text.utf8.count <= bound
    case ("minProperties", .object(let members)): isKept = members.count >= bound
    case ("minItems", .list(let elements)): isKept = elements.count >= bound
    case ("maxProperties", .object(let members)): isKept = members.count <= bound
    case ("maxItems", .list(let elements)): isKept = elements.count <= bound
    case ("pattern", .text(let text)): isKept = text.range(of: rule.string ?? "", options: .regularExpression) != nil
    case ("format", .text(let text)) where rule.string == "date-time":
      isKept = text.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/#) != nil
    case ("minimum", _), ("maximum", _), ("minLength", _), ("maxLength", _), ("x-maxBytes", _), ("minItems", _),
      ("minProperties", _), ("maxItems", _), ("maxProperties", _), ("pattern", _), ("format", _), ("description", _),
      ("title", _),
      ("contentMediaType", _), ("examples", _), ("default", _),
      ("x-minimumSeconds", _), ("x-maximumSeconds", _), ("x-opaque", _):
      isKept = true
    default: return ["\(place): the checker does not know the keyword \(keyword)"]
    }
    return isKept ? [] : ["\(place) breaks \(keyword) \(rule.string ?? "")"]
  }
}
