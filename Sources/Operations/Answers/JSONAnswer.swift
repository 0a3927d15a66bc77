package import JSON

/// Result of a straight-line operation, with the single JSON form that every handler returns.
package protocol JSONAnswer: Sendable {
  /// Writes the members of the answer's object.
  func write(to writer: inout JSONWriter)
}

extension JSONAnswer {
  /// The complete object, on one line.
  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { write(to: &$0) }
    return writer.bytes
  }
}
