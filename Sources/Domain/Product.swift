/// What this program is called, and which release of it this is.
package enum Product {
  package static let name = "upmc"
  /// Semantic: a change that a caller of the API would notice raises the first number.
  package static let version = "1.0.0"
}
