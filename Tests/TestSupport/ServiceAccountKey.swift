import Crypto

/// A key that one process of tests makes once.
package enum ServiceAccountKey {
  /// Of the service account that simulators of tests know. Making one of 2,048 bits takes a tenth of a second and more,
  /// which each simulator would spend before it starts.
  package static let pem = RSA.PrivateKey().pem
}
