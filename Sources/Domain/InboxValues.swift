package import JSON

/// What an uploaded file says of a person, as it is kept beside the person's entry in an inbox: the file may go first.
package struct InboxValues: Equatable, Sendable {
  /// Empty: the person's own.
  package let name: String
  /// For `%VAR1%` …, as many as there are.
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

  /// - Parameter json: as `json` wrote it.
  package init(json: [UInt8]) throws(JSONError) {
    var reader = JSONReader(json)
    var texts: [String] = []
    try reader.readArray { (reader, _) throws(JSONError) in texts.append(try reader.readString()) }
    name = texts.first ?? ""
    variables = Array(texts.dropFirst())
  }
}
