/// A JSON document as a tree that preserves the order of members, for documents that people read too.
package indirect enum JSONTree: Sendable, ExpressibleByStringLiteral, ExpressibleByStringInterpolation {
  package typealias Member = (name: String, value: JSONTree)

  case text(String)
  /// A number, `true`, `false` or `null`, as written in JSON.
  case word(String)
  case list([JSONTree])
  case object([Member])

  package init(stringLiteral text: String) {
    self = .text(text)
  }

  package static func number(_ number: some BinaryInteger) -> JSONTree { .word(String(number)) }
  package static func flag(_ flag: Bool) -> JSONTree { .word(flag ? "true" : "false") }
  package static func texts(_ texts: [String]) -> JSONTree { .list(texts.map(JSONTree.text)) }
  package static func reference(_ name: String, in part: String) -> JSONTree {
    .object([("$ref", .text("#/components/\(part)/\(name)"))])
  }

  /// Parses a JSON literal, such as an example. Traps if it is invalid, which is a programming error; a test builds
  /// every tree.
  package static func json(_ text: String) -> JSONTree {
    var reader = JSONReader(Array(text.utf8))
    do throws(JSONError) {
      let node = try read(&reader)
      try reader.finish()
      return node
    } catch {
      preconditionFailure("\(error) in \(text)")
    }
  }

  /// Parses one JSON value from outside the program.
  /// - Throws: `JSONError` if the text is not exactly one JSON value.
  package init(parsing text: [UInt8]) throws(JSONError) {
    var reader = JSONReader(text)
    self = try Self.read(&reader)
    try reader.finish()
  }

  private static func read(_ reader: inout JSONReader) throws(JSONError) -> JSONTree {
    switch try reader.peek() {
    case .object:
      var members: [Member] = []
      try reader.readObject { (reader, name) throws(JSONError) in members.append((name, try read(&reader))) }
      return .object(members)
    case .array:
      var elements: [JSONTree] = []
      try reader.readArray { (reader, _) throws(JSONError) in elements.append(try read(&reader)) }
      return .list(elements)
    case .string: return .text(try reader.readString())
    case .number, .boolean, .null: return .word(String(decoding: try reader.readRaw(), as: UTF8.self))
    }
  }

  // MARK: Reading

  /// Returns a member of an object; nil if there is none or this is not an object.
  package subscript(name: String) -> JSONTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  package var members: [Member] {
    if case .object(let members) = self { members } else { [] }
  }

  package var elements: [JSONTree] {
    if case .list(let elements) = self { elements } else { [] }
  }

  package var string: String? {
    switch self {
    case .text(let text), .word(let text): text
    default: nil
    }
  }

  // MARK: Extending

  /// True if this is the schema of null alone.
  var isNullSchema: Bool { members.count == 1 && self["type"]?.string == "null" }

  /// Returns the schema with a title, which names it in generated clients.
  package func titled(_ title: String) -> JSONTree { .object([("title", .text(title))] + members) }

  /// Returns the object with additional members at its end.
  package func adding(_ more: [Member]) -> JSONTree { .object(members + more) }
  package func adding(_ name: String, _ value: JSONTree) -> JSONTree { adding([(name, value)]) }

  // MARK: Writing

  package func write(to writer: inout JSONWriter) {
    switch self {
    case .text(let text): writer.value(text)
    case .word(let word): writer.raw(word)
    case .list(let elements):
      writer.array { writer in for element in elements { element.write(to: &writer) } }
    case .object(let members):
      writer.object { writer in
        for (name, value) in members {
          writer.name(name)
          value.write(to: &writer)
        }
      }
    }
  }

  package var bytes: [UInt8] {
    var writer = JSONWriter(capacity: 131_072)
    write(to: &writer)
    return writer.bytes
  }

  /// Formats the tree for people to read: indented by two spaces, with short lists and objects on one line.
  package func pretty(indent: Int = 0) -> String {
    let line = String(decoding: bytes, as: UTF8.self)
    guard line.utf8.count > 60 else { return line }
    let inner = String(repeating: " ", count: indent + 2)
    let outer = String(repeating: " ", count: indent)
    switch self {
    case .text, .word: return line
    case .list(let elements):
      return "[\n" + elements.map { inner + $0.pretty(indent: indent + 2) }.joined(separator: ",\n") + "\n\(outer)]"
    case .object(let members):
      let lines = members.map { name, value in
        "\(inner)\(String(decoding: JSONTree.text(name).bytes, as: UTF8.self)): \(value.pretty(indent: indent + 2))"
      }
      return "{\n" + lines.joined(separator: ",\n") + "\n\(outer)}"
    }
  }
}
