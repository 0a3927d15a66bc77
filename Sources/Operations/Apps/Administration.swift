/// Administration of apps, push credentials, API keys and groups.
///
/// These operations are rare and small. Other threads and nodes see changes to cached data within a second, at the next
/// refresh of their `Catalog`. Push credentials are stored encrypted and never returned; API keys are stored as hashes
/// and returned only by `createKey`.
package enum Administration {}

extension Operations.Limits {
  /// Maximum length of display names, such as an app's or an API key's, in bytes.
  static let nameBytes = 256
  /// Maximum size of a credential file, in bytes. A .p8 key has about 260.
  static let credentialBytes = 16_384
  /// Length of Apple's key and team ids.
  static let appleIDCharacters = 10
}
