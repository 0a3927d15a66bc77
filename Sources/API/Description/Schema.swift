internal import Domain

/// Builds JSON Schemas (draft 2020-12, as OpenAPI 3.1 has them).
enum Schema {
  /// One member of an object.
  struct Property {
    let name: String
    let schema: Node
    let isNeeded: Bool

    /// - Parameter about: what it means, in a sentence; nil when the schema says so itself.
    private init(_ name: String, _ schema: Node, _ about: String?, isNeeded: Bool) {
      self.name = name
      self.schema = about.map { schema.adding("description", .text($0)) } ?? schema
      self.isNeeded = isNeeded
    }

    static func needed(_ name: String, _ schema: Node, _ about: String? = nil) -> Property {
      Property(name, schema, about, isNeeded: true)
    }

    static func optional(_ name: String, _ schema: Node, _ about: String? = nil) -> Property {
      Property(name, schema, about, isNeeded: false)
    }
  }

  /// An object. Of a request (`isClosed`) unknown members are refused; an answer may get further ones in later versions.
  static func object(isClosed: Bool = false, _ properties: [Property]) -> Node {
    object(nil, isClosed: isClosed, properties)
  }

  static func object(_ about: String?, isClosed: Bool = false, _ properties: [Property]) -> Node {
    var members: [Node.Member] = [("type", "object")]
    if let about { members.append(("description", .text(about))) }
    members.append(("properties", .object(properties.map { ($0.name, $0.schema) })))
    let needed = properties.filter(\.isNeeded).map(\.name)
    if !needed.isEmpty { members.append(("required", .texts(needed))) }
    if isClosed { members.append(("additionalProperties", .flag(false))) }
    return .object(members)
  }

  static func reference(_ name: String) -> Node { .reference(name, in: "schemas") }

  static func list(of element: Node, _ count: ClosedRange<Int>? = nil) -> Node {
    var members: [Node.Member] = [("type", "array"), ("items", element)]
    if let count {
      if count.lowerBound > 0 { members.append(("minItems", .number(count.lowerBound))) }
      if count.upperBound < .max { members.append(("maxItems", .number(count.upperBound))) }
    }
    return .object(members)
  }

  static func oneOf(_ schemas: [Node]) -> Node { .object([("oneOf", .list(schemas))]) }

  // MARK: Scalars

  /// Text of 1 to `bytes` UTF-8 bytes. JSON Schema counts characters, so the bound that counts is told in words.
  static func text(upTo bytes: Int, isEmptyAllowed: Bool = false) -> Node {
    text(upTo: bytes, matching: withoutNull, isEmptyAllowed: isEmptyAllowed)
  }

  /// The same, of a certain form.
  static func text(upTo bytes: Int, matching pattern: String, isEmptyAllowed: Bool = false) -> Node {
    .object(
      [("type", "string")] + (isEmptyAllowed ? [] : [("minLength", .number(1))])
        + [("maxLength", .number(bytes)), ("pattern", .text(pattern)), ("x-maxBytes", .number(bytes))])
  }

  /// Any text but U+0000, which no column of PostgreSQL holds.
  static let withoutNull = #"^[^\u0000]*$"#

  /// Text of any length, of an answer.
  static let anyText: Node = .object([("type", "string")])
  /// The same of a request.
  static let givenText = text(matching: withoutNull)
  /// A name of the IANA time zone database.
  static let timeZone = anyText.adding("format", .text("time-zone"))
  /// What only we can read, such as the cursor of a list.
  static let opaque = givenText.adding([("minLength", .number(1)), ("x-opaque", .word("true"))])

  static func text(matching pattern: String, _ format: String? = nil) -> Node {
    .object(
      [("type", "string"), ("pattern", .text(pattern))] + (format.map { [("format", .text($0))] } ?? []))
  }

  static func words(_ words: [String]) -> Node {
    .object([("type", "string"), ("enum", .texts(words))])
  }

  static func constant(_ value: Node) -> Node { .object([("const", value)]) }

  static func number(_ range: ClosedRange<Int64>) -> Node {
    .object([
      ("type", "integer"), ("minimum", .number(range.lowerBound)), ("maximum", .number(range.upperBound)),
    ])
  }

  /// A count: 0 or more.
  static let count: Node = .object([("type", "integer"), ("minimum", .number(0))])
  static let flag: Node = .object([("type", "boolean")])
  static let moment: Node = .object([("type", "string"), ("format", "date-time")])

  /// The same, or null.
  static func optional(_ schema: Node) -> Node {
    if case .text(let type)? = schema["type"], schema["enum"] == nil {
      return .object(
        schema.members.map { name, value in name == "type" ? (name, .texts([type, "null"])) : (name, value) })
    }
    return oneOf([schema, .object([("type", "null")])])
  }

  // MARK: Kinds of text that occur everywhere

  static let uuid = text(matching: "^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$", "uuid")
  /// A SEQNO or GROUPSEQ in quotes.
  static let sequence = text(matching: "^[1-9][0-9]{0,17}$")
  static let badge = number(Int64(Domain.Limits.badgeValue.lowerBound)...Int64(Domain.Limits.badgeValue.upperBound))
  static let badgeCount = number(
    Int64(Domain.Limits.badgeCount.lowerBound)...Int64(Domain.Limits.badgeCount.upperBound))
}
