package import JSON

/// A person's values from an uploaded file, stored with the person's inbox entry, because the file may expire first.
package struct InboxValues: Equatable, Sendable {
  /// Empty means the person's own name.
  package let name: String
  /// Values of `%VAR1%` …, as many as given.
  package let variables: [String]

  package init(name: String, variables: [String]) {
    self.name = name
    self.variables = variables
  }

  /// `["name","value of VAR1",…]`.
  package var json: String {
    var writer = JSONWriter()
    writer.array { writer in
      writer.value(name)
      for variable in variables { writer.value(variable) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// - Parameter json: as written by `json`.
  package init(json: [UInt8]) throws(JSONError) {
    var reader = JSONReader(json)
    var texts: [String] = []
    try reader.readArray { (reader, _) throws(JSONError) in texts.append(try reader.readString()) }
    name = texts.first ?? ""
    variables = Array(texts.dropFirst())
  }
}
