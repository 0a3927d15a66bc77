/// Administration of apps, push credentials, API keys and groups.
///
/// These operations are rare and small. Changes to anything that other threads and nodes cache are announced on
/// `Catalog.channel`. Secrets are stored encrypted or hashed, and never returned.
package enum Administration {}

extension Operations.Limits {
  /// Maximum length of the display name of an app or an API key, in bytes.
  static let nameBytes = 256
  /// Maximum size of a credential file, in bytes. A .p8 key has about 260.
  package static let credentialBytes = 16_384
  /// Length of Apple's key and team ids.
  static let appleIDCharacters = 10
}
