package import JSON

/// A user's values from an uploaded file, stored with the inbox entry, because the file may expire before it.
package struct InboxValues: Equatable, Sendable {
  /// Name from the file; empty to use the user's own name.
  package let name: String
  /// Values of `%VAR1%` …, as many as the user's line in the file contains; empty for an empty field.
  package let variables: [String]

  package init(name: String, variables: [String]) {
    self.name = name
    self.variables = variables
  }

  /// The values as JSON: `["name","value of VAR1",…]`.
  package var json: String {
    var writer = JSONWriter()
    writer.array { writer in
      writer.value(name)
      for variable in variables { writer.value(variable) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Parses the stored form. Throws if it is not an array of strings.
  /// - Parameter json: text written by `json`.
  package init(json: [UInt8]) throws(JSONError) {
    var reader = JSONReader(json)
    var texts: [String] = []
    try reader.readArray { (reader, _) throws(JSONError) in texts.append(try reader.readString()) }
    name = texts.first ?? ""
    variables = Array(texts.dropFirst())
  }
}
