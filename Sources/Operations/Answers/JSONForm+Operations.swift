package import Domain
package import JSON

/// Kinds of values that occur in many operations, as they are read and written.
extension JSONForm<Int64> {
  /// Microseconds since 1970, as text: RFC 3339; in answers UTC, with milliseconds.
  package static let moment = JSONForm(
    JSONSchema.moment, read: { (reader) throws(JSONError) in try reader.readMoment() },
    write: { $1.value(Timestamp.text($0)) })
}

extension JSONForm<MessageState> {
  /// Of a message, in answers.
  package static let state = JSONForm(
    JSONSchema.words(MessageState.allCases.map(\.name)), write: { $1.value($0.name) })
}

extension JSONForm<MessagePurpose> {
  /// Which list it stands in, in answers.
  package static let purpose = JSONForm(
    JSONSchema.words(MessagePurpose.allCases.map(\.name)), write: { $1.value($0.name) })
}

extension JSONForm<OutcomeStatus> {
  /// What became of a delivery, in answers.
  package static let outcome = JSONForm(
    JSONSchema.words(OutcomeStatus.allCases.map(\.name)), write: { $1.value($0.name) })
}

extension JSONForm<Role> {
  package static let role = JSONForm.words(Role.allCases)
}

extension JSONForm<String> {
  /// The name of a role.
  package static let role = JSONForm.words(Role.allCases.map(\.rawValue))
  /// What people call something. Its length is checked when it is kept.
  package static let name = JSONForm.anyText.described(JSONSchema.text(upTo: Operations.Limits.nameBytes))
}
