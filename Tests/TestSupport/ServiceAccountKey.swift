import Crypto

/// A key that each process of tests makes once.
package enum ServiceAccountKey {
  /// The key of the service account that the tests' simulators know. Making one of 2,048 bits takes a tenth of a second
  /// or more, which each simulator would otherwise spend before it starts.
  package static let pem = RSA.PrivateKey().pem
}
