internal import JSON

/// Access to the members of a response. Absent and null members are equivalent.
extension JSONTree {
  var isNull: Bool {
    if case .word("null") = self { true } else { false }
  }

  /// Returns a member; nil if it is absent or null.
  func given(_ name: String) -> JSONTree? {
    self[name].flatMap { $0.isNull ? nil : $0 }
  }

  /// Returns a member as text; nil if it is absent or null.
  func optional(_ name: String) -> String? { given(name)?.string }

  /// Returns a member as text; empty if it is absent or null.
  func text(_ name: String) -> String { optional(name) ?? "" }

  func number(_ name: String) -> Int64 { Int64(text(name)) ?? 0 }
  func flag(_ name: String) -> Bool { text(name) == "true" }
  func list(_ name: String) -> [JSONTree] { given(name)?.elements ?? [] }

  /// The value as JSON on one line.
  var line: String {
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Creates an object from the members that are not nil.
  static func members(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
    .object(members.compactMap { name, value in value.map { (name, $0) } })
  }

  static var null: JSONTree { .word("null") }

  /// Creates a text value; nil for nil.
  static func optional(_ text: String?) -> JSONTree? { text.map(JSONTree.text) }
}
