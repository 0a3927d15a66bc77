internal import JSON

/// A JSON value as a tree. FCM validates a message as a whole, including unknown names, so it is parsed completely.
indirect enum MessageTree: Equatable {
  case null
  case flag(Bool)
  /// A number as written in the JSON.
  case number(String)
  case text(String)
  case list([MessageTree])
  case object([Member])

  struct Member: Equatable {
    let name: String
    let value: MessageTree
  }

  static func parse(_ json: [UInt8]) throws(JSONError) -> MessageTree {
    var reader = JSONReader(json)
    let tree = try read(&reader)
    try reader.finish()
    return tree
  }

  private static func read(_ reader: inout JSONReader) throws(JSONError) -> MessageTree {
    switch try reader.peek() {
    case .null:
      _ = try reader.readNull()
      return .null
    case .boolean: return .flag(try reader.readBool())
    case .number: return .number(String(decoding: try reader.readRaw(), as: UTF8.self))
    case .string: return .text(try reader.readString())
    case .array:
      var elements: [MessageTree] = []
      try reader.readArray { (reader, _) throws(JSONError) in elements.append(try read(&reader)) }
      return .list(elements)
    case .object:
      var members: [Member] = []
      try reader.readObject { (reader, name) throws(JSONError) in
        members.append(Member(name: name, value: try read(&reader)))
      }
      return .object(members)
    }
  }

  subscript(name: String) -> MessageTree? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  var string: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The value as Google quotes it in error messages, with strings in quotes.
  var shown: String {
    switch self {
    case .null: "null"
    case .flag(let flag): String(flag)
    case .number(let digits): digits
    case .text(let text): "\"\(text)\""
    case .list: "[]"
    case .object: "{}"
    }
  }

  /// Writes the value as compact JSON.
  func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .flag(let flag): writer.value(flag)
    case .number(let digits): writer.raw(digits)
    case .text(let text): writer.value(text)
    case .list(let elements): writer.array { writer in for element in elements { element.write(to: &writer) } }
    case .object(let members):
      writer.object { writer in
        for member in members {
          writer.name(member.name)
          member.value.write(to: &writer)
        }
      }
    }
  }
}
