package import Crypto

/// Creates and verifies `authKey`, the credential of a device.
///
/// The format is `<device>.<epoch>.<40 hex digits>`, with `a` before the epoch if the key was requested with the token
/// alone. The digits are the first 20 bytes of an HMAC over the device id (which is derived from the app), the letter
/// and the epoch. Keys are not stored: raising the device's epoch invalidates all earlier ones, and issuing a new key
/// invalidates none.
package struct AuthKeyring: Sendable {
  private let keys: LiveKeys<HMAC>

  package init(key: SymmetricKey, others: [SymmetricKey] = []) {
    keys = LiveKeys(HMAC(key: key), others: others.map { HMAC(key: $0) })
  }

  /// Replaces the keys in every copy of this keyring: `present` signs, and all of them verify.
  package func replace(with present: SymmetricKey, others: [SymmetricKey]) {
    keys.replace(with: HMAC(key: present), others: others.map { HMAC(key: $0) })
  }

  /// The content of a key that this keyring has created, and what the caller claims with it. Whether the key is still
  /// valid depends on the epoch in the device's row.
  package struct Claim: Equatable, Sendable {
    package let device: DeviceID
    package let epoch: Int16
    /// CUID of the user to whom the caller believes the device belongs; the call is refused if it belongs to another
    /// user. Nil if the caller named none.
    package var actingFor: String?
    /// True if the key was issued to a caller that had proved no more than knowledge of the PSID, which push networks
    /// and logs also contain.
    package var isTokenOnly = false
    /// The app backend's proof for the user on whose behalf the caller acts; nil if none was given.
    package var userProof: String?

    package init(device: DeviceID, epoch: Int16, actingFor: String? = nil, isTokenOnly: Bool = false) {
      self.device = device
      self.epoch = epoch
      self.actingFor = actingFor
      self.isTokenOnly = isTokenOnly
    }
  }

  /// Returns a new authKey for a device.
  /// - Parameter isTokenOnly: true if the caller has presented only the token. The key then does not authorize a new
  ///   token and, in apps that require proof, gives only limited access (`AppPolicies.grantsFullAccess`).
  package func make(device: DeviceID, epoch: Int16, isTokenOnly: Bool = false) -> String {
    let mark = isTokenOnly ? "a" : ""
    return "\(device).\(mark)\(epoch).\(Self.seal(device, "\(mark)\(epoch)", keys.present))"
  }

  /// Returns the content of a key; nil if it is malformed or was not created with one of this keyring's keys. Does not
  /// check whether the epoch is current.
  package func verify(_ authKey: String) -> Claim? {
    let parts = authKey.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let device = DeviceID(parts[0]) else { return nil }
    let isTokenOnly = parts[1].hasPrefix("a")
    guard let epoch = Int16(parts[1].dropFirst(isTokenOnly ? 1 : 0)) else { return nil }
    let (given, epochText) = (Array(parts[2].utf8), String(parts[1]))
    guard keys.all.contains(where: { ConstantTime.isEqual(given, Array(Self.seal(device, epochText, $0).utf8)) })
    else { return nil }
    return Claim(device: device, epoch: epoch, isTokenOnly: isTokenOnly)
  }

  private static func seal(_ device: DeviceID, _ epoch: String, _ hmac: HMAC) -> String {
    let message = Array("authKey \(device) \(epoch)".utf8)
    return Hex.encode(hmac.authenticationCode(for: message).prefix(20))
  }
}
