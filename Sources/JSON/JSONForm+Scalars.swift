/// The JSON forms of texts, numbers and other simple values.
extension JSONForm<String?> {
  /// A value that is always null; described as text, because a type of which only null is known helps no caller.
  package static let null = JSONForm(JSONSchema.optional(JSONSchema.anyText), write: { (_, writer) in writer.null() })
}

extension JSONForm<String> {
  /// Returns the form of text of 1 to `bytes` UTF-8 bytes, or 0 to `bytes` if `isEmptyAllowed`.
  /// - Parameter pattern: pattern in the API description; nil for any text.
  package static func text(upTo bytes: Int, isEmptyAllowed: Bool = false, pattern: String? = nil) -> JSONForm {
    JSONForm(
      JSONSchema.text(upTo: bytes, matching: pattern ?? JSONSchema.withoutNull, isEmptyAllowed: isEmptyAllowed),
      read: { (reader) throws(JSONError) in
        let text = try reader.readString()
        guard isEmptyAllowed || !text.isEmpty else { throw JSONError("must not be empty") }
        guard text.utf8.count <= bytes else { throw JSONError("is longer than \(bytes) bytes") }
        return text
      }, write: { $1.value($0) })
  }

  /// The form of a text of any length, for answers.
  package static let anyText = JSONForm(
    JSONSchema.anyText, read: { (reader) throws(JSONError) in try reader.readString() }, write: { $1.value($0) })

  /// The form of a text of any length, for requests.
  package static let givenText = JSONForm.anyText.described(JSONSchema.givenText)

  /// The form of a name from the IANA time zone database. The parser does not check that it exists; storing it does.
  package static let timeZone = JSONForm.anyText.described(JSONSchema.timeZone)

  /// Returns the form of one word that never varies, for answers.
  package static func constant(_ word: String) -> JSONForm {
    JSONForm(JSONSchema.constant(word), write: { $1.value($0) })
  }

  /// Returns the form of a text that is one of the given words.
  package static func words(_ words: [String]) -> JSONForm {
    JSONForm(
      JSONSchema.words(words),
      read: { (reader) throws(JSONError) in
        let word = try reader.readString()
        guard words.contains(word) else { throw JSONError("must be one of \(words.joined(separator: ", "))") }
        return word
      }, write: { $1.value($0) })
  }
}

extension JSONForm<Bool> {
  package static let flag = JSONForm(
    JSONSchema.flag, read: { (reader) throws(JSONError) in try reader.readBool() }, write: { $1.value($0) })
}

extension JSONForm<Sentence> {
  /// A sentence of the server, for answers: text in the writer's language.
  package static let sentence = JSONForm(JSONSchema.anyText, write: { $1.value($0) })
}

extension JSONForm<Bool> {
  /// The value true, which is omitted if false.
  package static let alwaysTrue = JSONForm.flag.described(JSONSchema.alwaysTrue).mapped(
    by: { $0 ? true : nil }, else: "must be true", written: { $0 })
}

extension JSONForm where Value: FixedWidthInteger & Sendable {
  /// The form of any integer, including negative ones.
  package static var integer: JSONForm { number(.object([("type", "integer")]), Value.min...Value.max) }

  /// The form of an integer of 0 or more.
  package static var count: JSONForm { number(JSONSchema.count, 0...Value.max) }

  package static func number(_ range: ClosedRange<Value>) -> JSONForm {
    number(JSONSchema.number(Int64(clamping: range.lowerBound)...Int64(clamping: range.upperBound)), range)
  }

  private static func number(_ schema: JSONTree, _ range: ClosedRange<Value>) -> JSONForm {
    JSONForm(
      schema,
      read: { (reader) throws(JSONError) in
        guard let number = Value(exactly: try reader.readInteger()), range.contains(number) else {
          throw JSONError("must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
      }, write: { $1.value($0) })
  }
}

extension JSONForm where Value: RawRepresentable<String> & Sendable {
  /// Returns the form of a value that is one of the given cases, by raw value.
  package static func words(_ values: [Value]) -> JSONForm {
    let words = values.map(\.rawValue)
    return JSONForm<String>.words(words).mapped(
      by: { Value(rawValue: $0) }, else: "is not known", written: \.rawValue)
  }
}

extension JSONForm<[UInt8]> {
  /// The form of an object, kept as unparsed text.
  package static let object = JSONForm(
    .object([("type", "object")]),
    read: { (reader) throws(JSONError) in
      guard try reader.peek() == .object else { throw JSONError("must be an object") }
      return try reader.readRaw()
    }, write: { $1.raw($0) })

  /// Returns the form of any JSON value, kept as unparsed text.
  package static func raw(_ schema: JSONTree) -> JSONForm {
    JSONForm(schema, read: { (reader) throws(JSONError) in try reader.readRaw() }, write: { $1.raw($0) })
  }
}
