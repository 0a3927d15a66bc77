/// A user as named by a device.
package struct NamedUser: Equatable, Sendable {
  package let clientUID: String
  package let name: String
  /// Proof that the app's own server created for the user, not verified yet; nil if the device sent none.
  package let proof: String?
  /// The user's telephone number, sealed for the user; nil if not given.
  package var phone: [UInt8]?
  /// Whether the user was named through the legacy SDK protocol. That protocol has no error for a missing proof, so the
  /// request is accepted, but the device does not get the user.
  package var isFromSDK = false

  package init(clientUID: String, name: String, proof: String? = nil) {
    self.clientUID = clientUID
    self.name = name
    self.proof = proof
  }
}
