/// Builds JSON Schemas (draft 2020-12, as used by OpenAPI 3.1).
package enum JSONSchema {
  /// One member of an object.
  package struct Property {
    package let name: String
    package let schema: JSONTree
    package let isNeeded: Bool

    /// Creates a property.
    /// - Parameter about: the member's meaning, in a sentence; nil if the schema is self-explanatory.
    private init(_ name: String, _ schema: JSONTree, _ about: String?, isNeeded: Bool) {
      self.name = name
      self.schema = about.map { schema.adding("description", .text($0)) } ?? schema
      self.isNeeded = isNeeded
    }

    package static func required(_ name: String, _ schema: JSONTree, _ about: String? = nil) -> Property {
      Property(name, schema, about, isNeeded: true)
    }

    package static func optional(_ name: String, _ schema: JSONTree, _ about: String? = nil) -> Property {
      Property(name, schema, about, isNeeded: false)
    }
  }

  /// Returns the schema of an object. Requests (`isClosed`) allow no unknown members; answers may get further ones in
  /// later versions.
  package static func object(isClosed: Bool = false, _ properties: [Property]) -> JSONTree {
    object(nil, isClosed: isClosed, properties)
  }

  package static func object(_ about: String?, isClosed: Bool = false, _ properties: [Property]) -> JSONTree {
    var members: [JSONTree.Member] = [("type", "object")]
    if let about { members.append(("description", .text(about))) }
    members.append(("properties", .object(properties.map { ($0.name, $0.schema) })))
    let needed = properties.filter(\.isNeeded).map(\.name)
    if !needed.isEmpty { members.append(("required", .texts(needed))) }
    if isClosed { members.append(("additionalProperties", .flag(false))) }
    return .object(members)
  }

  package static func reference(_ name: String) -> JSONTree { .reference(name, in: "schemas") }

  package static func list(of element: JSONTree, _ count: ClosedRange<Int>? = nil) -> JSONTree {
    var members: [JSONTree.Member] = [("type", "array"), ("items", element)]
    if let count {
      if count.lowerBound > 0 { members.append(("minItems", .number(count.lowerBound))) }
      if count.upperBound < .max { members.append(("maxItems", .number(count.upperBound))) }
    }
    return .object(members)
  }

  /// Returns the schema of a stream of server-sent events, given that of a single event.
  package static func events(_ names: [String], _ about: String, _ data: JSONTree) -> JSONTree {
    object(
      about,
      [
        .required("event", words(names)),
        .required(
          "data", .object([("type", "string"), ("contentMediaType", "application/json"), ("contentSchema", data)])),
      ])
  }

  /// Returns the schema of exactly one of several schemas. Each has a title or is a named one, so that generated
  /// clients have a name for it.
  package static func oneOf(_ schemas: [JSONTree]) -> JSONTree {
    for schema in schemas {
      precondition(
        schema["title"] != nil || schema["$ref"] != nil || schema.isNullSchema, "a branch without a title: \(schema)")
    }
    return .object([("oneOf", .list(schemas))])
  }

  // MARK: Scalars

  /// Returns the schema of a text of 1 to `bytes` UTF-8 bytes, or 0 to `bytes` if `isEmptyAllowed`. JSON Schema counts
  /// characters, so `x-maxBytes` states the limit in bytes.
  package static func text(upTo bytes: Int, isEmptyAllowed: Bool = false) -> JSONTree {
    text(upTo: bytes, matching: withoutNull, isEmptyAllowed: isEmptyAllowed)
  }

  /// Returns the schema of a text of limited length that matches a pattern.
  package static func text(upTo bytes: Int, matching pattern: String, isEmptyAllowed: Bool = false) -> JSONTree {
    .object(
      [("type", "string")] + (isEmptyAllowed ? [] : [("minLength", .number(1))])
        + [("maxLength", .number(bytes)), ("pattern", .text(pattern)), ("x-maxBytes", .number(bytes))])
  }

  /// The pattern of any text without U+0000, which PostgreSQL cannot store.
  package static let withoutNull = #"^[^\u0000]*$"#

  /// The schema of a text of any length, for answers.
  package static let anyText: JSONTree = .object([("type", "string")])
  /// The schema of a text of any length, for requests.
  package static let givenText = text(matching: withoutNull)
  /// The schema of a name of the IANA time zone database.
  package static let timeZone = anyText.adding("format", .text("time-zone"))
  /// The schema of a list's cursor, which only this server interprets. It needs no escaping in a URL.
  package static let cursor = text(matching: "^[A-Za-z0-9_-]+$").adding("x-opaque", .word("true"))

  package static func text(matching pattern: String, _ format: String? = nil) -> JSONTree {
    .object(
      [("type", "string"), ("pattern", .text(pattern))] + (format.map { [("format", .text($0))] } ?? []))
  }

  package static func words(_ words: [String]) -> JSONTree {
    .object([("type", "string"), ("enum", .texts(words))])
  }

  /// Returns the schema of a single word: an `enum`, because generators of clients support it.
  package static func constant(_ word: String) -> JSONTree { words([word]) }

  /// The schema of the value true.
  package static let alwaysTrue: JSONTree = .object([("type", "boolean"), ("enum", .list([.flag(true)]))])

  package static func number(_ range: ClosedRange<Int64>) -> JSONTree {
    .object([
      ("type", "integer"), ("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound)),
    ])
  }

  /// The schema of an integer of 0 or more.
  package static let count: JSONTree = .object([("type", "integer"), ("minimum", .number(0))])
  package static let flag: JSONTree = .object([("type", "boolean")])
  package static let moment: JSONTree = .object([("type", "string"), ("format", "date-time")])

  /// Returns the schema that also allows null. For anything but an object, null is added to the `type`, so that
  /// generators of clients make an optional value; an object becomes one of two schemas, so that they make a class of
  /// it.
  package static func optional(_ schema: JSONTree) -> JSONTree {
    guard case .text(let type)? = schema["type"], type != "object" else { return oneOf([schema, null]) }
    return .object(
      schema.members.map { name, value in
        switch name {
        case "type": (name, .texts([type, "null"]))
        case "enum": (name, .list(value.elements + [.word("null")]))
        default: (name, value)
        }
      })
  }

  package static let null: JSONTree = .object([("type", "null")])

  // MARK: Common kinds of text

  package static let uuid = text(matching: "^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$", "uuid")
}
