internal import JSON

/// Reading answers: absent and null are the same to a command.
extension JSONTree {
  var isNull: Bool {
    if case .word("null") = self { true } else { false }
  }

  /// A member that is there.
  func given(_ name: String) -> JSONTree? {
    self[name].flatMap { $0.isNull ? nil : $0 }
  }

  /// A member as text; nil when absent or null.
  func optional(_ name: String) -> String? { given(name)?.string }

  /// A member as text; empty when absent or null.
  func text(_ name: String) -> String { optional(name) ?? "" }

  func number(_ name: String) -> Int64 { Int64(text(name)) ?? 0 }
  func flag(_ name: String) -> Bool { text(name) == "true" }
  func list(_ name: String) -> [JSONTree] { given(name)?.elements ?? [] }

  /// On one line.
  var line: String {
    var writer = JSONWriter()
    write(to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// An object of the members that are there.
  static func members(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
    .object(members.compactMap { name, value in value.map { (name, $0) } })
  }

  static var null: JSONTree { .word("null") }

  /// Text that may be absent.
  static func optional(_ text: String?) -> JSONTree? { text.map(JSONTree.text) }
}
