package import JSON
internal import Operations

/// The result of one check: what was found, where, and how to correct it.
package struct Finding: JSONAnswer, Equatable {
  package enum Severity: String, Sendable {
    case ok, warning, failure
  }

  package let severity: Severity
  /// What was checked, in one or two words.
  package let subject: String
  /// Which instance was checked: a variable, file, host or app.
  package let place: String
  package let what: String
  /// How to correct it; empty if nothing is wrong.
  package let remedy: String

  static func ok(_ subject: String, _ place: String, _ what: String) -> Finding {
    Finding(severity: .ok, subject: subject, place: place, what: what, remedy: "")
  }

  static func warning(_ subject: String, _ place: String, _ what: String, remedy: String) -> Finding {
    Finding(severity: .warning, subject: subject, place: place, what: what, remedy: remedy)
  }

  static func failure(_ subject: String, _ place: String, _ what: String, remedy: String) -> Finding {
    Finding(severity: .failure, subject: subject, place: place, what: what, remedy: remedy)
  }

  /// The finding with a failure downgraded to a warning.
  var asWarning: Finding {
    severity == .failure ? .warning(subject, place, what, remedy: remedy) : self
  }

  package func write(to writer: inout JSONWriter) {
    writer.member("severity", severity.rawValue)
    writer.member("subject", subject)
    writer.member("place", place)
    writer.member("what", what)
    writer.member("remedy", remedy)
  }
}
