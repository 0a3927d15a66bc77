/// The program's name and release.
package enum Product {
  package static let name = "upmc"
  /// Semantic version: a change that API clients would notice raises the first number.
  package static let version = "1.0.0"
}
