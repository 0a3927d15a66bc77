package import JSON

/// Kinds of values that occur everywhere in the API, as they are read and written.
extension JSONForm where Value: FixedWidthInteger & Sendable {
  /// The number of something, such as a SEQNO, in quotes.
  package static var sequence: JSONForm {
    JSONForm<String>.anyText.described(JSONSchema.sequence).standing(
      for: { text in SequenceNumber.parse(text).flatMap { Value(exactly: $0) } },
      else: "must be a number in quotes: a whole number from 1", written: { String($0) })
  }
}

extension JSONForm<String> {
  package static let appID = JSONForm.text(upTo: Domain.Limits.appIDBytes).described(JSONSchema.appID)
}
