package import JSON
internal import Operations

/// One thing that the doctor has looked at: what it found, where, and how to mend it.
package struct Finding: JSONAnswer, Equatable {
  package enum Severity: String, Sendable {
    case ok, warning, failure
  }

  package let severity: Severity
  /// What was looked at, in a word or two.
  package let subject: String
  /// Which one of them: a variable, a file, a host, an app.
  package let place: String
  package let what: String
  /// Empty when there is nothing to mend.
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

  /// The same, where it may wait.
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
