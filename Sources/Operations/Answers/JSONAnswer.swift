package import Domain
package import JSON

/// Result of a straight-line operation, with the one JSON form that all handlers use if they answer in JSON.
package protocol JSONAnswer: Sendable {
  /// Writes the members of the answer's object.
  func write(to writer: inout JSONWriter)
}

extension JSONAnswer {
  /// The complete JSON object, on one line, with its sentences in English.
  package var json: [UInt8] { json(in: .english) }

  /// Returns the complete JSON object, on one line, with its sentences in `language`.
  package func json(in language: SpokenLanguage) -> [UInt8] {
    var writer = JSONWriter()
    if language != .english { writer.wording = { $0.text(in: language) } }
    writer.object { write(to: &$0) }
    return writer.bytes
  }
}

/// An answer whose members are described once, for both serialization and the API description.
package protocol DescribedAnswer: JSONAnswer {
  static var object: JSONObject<Self> { get }
}

extension DescribedAnswer {
  package func write(to writer: inout JSONWriter) { Self.object.write(self, to: &writer) }
}
