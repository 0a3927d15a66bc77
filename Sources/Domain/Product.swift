/// The program's name and release.
package enum Product {
  package static let name = "upmc"
  /// Semantic version: the first number increases with a change that breaks API clients.
  package static let version = "1.0.0"
}
