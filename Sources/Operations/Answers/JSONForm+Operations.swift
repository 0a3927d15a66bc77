package import Domain
package import JSON
internal import Time

/// JSON forms of values shared by many operations.
extension JSONForm<MessageState> {
  /// Form of a message's state; only written.
  package static let state = JSONForm(
    JSONSchema.words(MessageState.allCases.map(\.name)), write: { $1.value($0.name) })
}

extension JSONForm<MessagePurpose> {
  /// Form of a message's purpose, which determines the list it appears in; only written.
  package static let purpose = JSONForm(
    JSONSchema.words(MessagePurpose.allCases.map(\.name)), write: { $1.value($0.name) })
}

extension JSONForm<OutcomeStatus> {
  /// Form of a delivery's outcome; only written.
  package static let outcome = JSONForm(
    JSONSchema.words(OutcomeStatus.allCases.map(\.name)), write: { $1.value($0.name) })
}

extension JSONForm<Role> {
  package static let role = JSONForm.words(Role.allCases)
}

extension JSONForm<String> {
  package static let role = JSONForm.words(Role.allCases.map(\.rawValue))
  /// Form of a display name. Reading does not check its length; `Administration.check(name:)` does before it is stored.
  package static let name = JSONForm.anyText.described(JSONSchema.text(upTo: Operations.Limits.nameBytes))
}
