/// Setting up: apps, what opens the push networks for them, API keys and groups.
///
/// Rare, small, straight-line. What other threads and nodes keep in memory is announced when it changes
/// (`Catalog.channel`). Secrets go in sealed or hashed and never come out again.
package enum Administration {}

extension Operations.Limits {
  /// A display name of an app or an API key, in bytes.
  static let nameBytes = 256
  /// A credential file: a .p8 key has about 260 bytes.
  package static let credentialBytes = 16_384
  /// Key and team ids at Apple's.
  static let appleIDCharacters = 10
}
