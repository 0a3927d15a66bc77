/// Administration of apps, push credentials, API keys and groups.
///
/// Rare, small, straight-line operations. A change to anything that other threads and nodes cache is announced on
/// `Catalog.channel`. Secrets are stored sealed or hashed and never returned.
package enum Administration {}

extension Operations.Limits {
  /// Display name of an app or an API key, in bytes.
  static let nameBytes = 256
  /// Credential file, in bytes: a .p8 key has about 260.
  package static let credentialBytes = 16_384
  /// Length of Apple's key and team ids.
  static let appleIDCharacters = 10
}
