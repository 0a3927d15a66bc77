/// A user as a device names it.
package struct NamedUser: Equatable, Sendable {
  package let clientUID: String
  package let name: String
  /// What the app's own server says to vouch for it; nil: nothing.
  package let proof: String?
  /// The user's telephone number, sealed for the user; nil: not said.
  package var phone: [UInt8]?
  /// It came in the SDK's protocol, which has no words for a missing proof: the device is carried as a guest instead of
  /// being refused.
  package var isFromSDK = false

  package init(clientUID: String, name: String, proof: String? = nil) {
    self.clientUID = clientUID
    self.name = name
    self.proof = proof
  }
}
