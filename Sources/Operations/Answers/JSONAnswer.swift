package import JSON

/// What a straight-line operation answers, with the one JSON form in which every door gives it out.
package protocol JSONAnswer: Sendable {
  /// Writes the members of its object.
  func write(to writer: inout JSONWriter)
}

extension JSONAnswer {
  /// The whole object, in one line.
  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { write(to: &$0) }
    return writer.bytes
  }
}
