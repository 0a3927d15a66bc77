/// A user as named by a device.
package struct NamedUser: Equatable, Sendable {
  package let clientUID: String
  package let name: String
  /// Proof by the app's own server; nil if there is none.
  package let proof: String?
  /// The user's telephone number, sealed for the user; nil if not given.
  package var phone: [UInt8]?
  /// Whether it came through the legacy SDK protocol. That protocol has no error for a missing proof, so the device is
  /// kept as a guest instead of being refused.
  package var isFromSDK = false

  package init(clientUID: String, name: String, proof: String? = nil) {
    self.clientUID = clientUID
    self.name = name
    self.proof = proof
  }
}
