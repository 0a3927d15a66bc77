/// The reason why a server cannot start: one sentence that says what happened and what to do.
package struct ServerError: Error, CustomStringConvertible, Sendable {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
