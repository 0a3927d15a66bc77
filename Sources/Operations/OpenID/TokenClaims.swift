internal import JSON

/// Members of a JSON object that another system defines: the claims of a token, a key, or a provider's metadata.
struct TokenClaims: Sendable {
  enum Value: Equatable, Sendable {
    case text(String)
    case number(Int64)
    case flag(Bool)
    case texts([String])
    /// A value of a kind that no claim used here has.
    case other
  }

  private let members: [String: Value]

  /// Parses a JSON object. Of members with the same name, the last counts.
  /// - Throws: if the text is not exactly one JSON object.
  init(_ json: [UInt8]) throws(JSONError) {
    var members: [String: Value] = [:]
    var reader = JSONReader(json)
    try reader.readObject { (reader, name) throws(JSONError) in members[name] = try Self.value(&reader) }
    try reader.finish()
    self.members = members
  }

  private static func value(_ reader: inout JSONReader) throws(JSONError) -> Value {
    switch try reader.peek() {
    case .string: return .text(try reader.readString())
    case .boolean: return .flag(try reader.readBool())
    case .number:
      // Times are whole numbers; no claim used here has a fraction.
      let text = String(decoding: try reader.readRaw(), as: UTF8.self)
      return Int64(text).map(Value.number) ?? .other
    case .array:
      var texts: [String]? = []
      try reader.readArray { (reader, _) throws(JSONError) in
        if try reader.peek() == .string {
          texts?.append(try reader.readString())
        } else {
          try reader.skip()
          texts = nil
        }
      }
      return texts.map(Value.texts) ?? .other
    case .object, .null:
      try reader.skip()
      return .other
    }
  }

  subscript(_ name: String) -> Value? { members[name] }

  func text(_ name: String) -> String? {
    if case .text(let text) = members[name] { text } else { nil }
  }

  func number(_ name: String) -> Int64? {
    if case .number(let number) = members[name] { number } else { nil }
  }

  /// Returns the strings of a claim that can be one string or an array of strings; empty if the claim is missing or
  /// anything else.
  func texts(_ name: String) -> [String] {
    switch members[name] {
    case .text(let text): [text]
    case .texts(let texts): texts
    default: []
    }
  }
}
