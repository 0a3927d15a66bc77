package import Crypto

/// Makes and checks `authKey`: a device's own credential.
///
/// `<device>.<epoch>.<40 hex digits>` (`a` before the epoch of one that was asked for by the token alone), an HMAC over (app, device, epoch). Nothing is stored per key: raising the device's
/// epoch ends all keys made before. A new key by itself does not end the old ones.
package struct AuthKeyring: Sendable {
  private let hmac: HMAC

  package init(key: SymmetricKey) {
    hmac = HMAC(key: key)
  }

  /// A key that has proved genuine. Whether it is still current only the device's row can say.
  package struct Claim: Equatable, Sendable {
    package let device: DeviceID
    package let epoch: Int16
    /// The CUID that the caller believes the device to belong to; refused when it is another one's. Nil: it says nothing.
    package var actingFor: String?
    /// The caller showed only the PSID for it (`asking_authorization`), which push networks and logs also hold.
    package var isAsked = false
    /// What the app's own server says for the user that the caller acts for.
    package var userProof: String?

    package init(device: DeviceID, epoch: Int16, actingFor: String? = nil, isAsked: Bool = false) {
      self.device = device
      self.epoch = epoch
      self.actingFor = actingFor
      self.isAsked = isAsked
    }
  }

  /// - Parameter isAsked: nothing but the token was shown for it: it does not prove a new token.
  package func make(device: DeviceID, epoch: Int16, isAsked: Bool = false) -> String {
    let mark = isAsked ? "a" : ""
    return "\(device).\(mark)\(epoch).\(seal(device, "\(mark)\(epoch)"))"
  }

  /// Nil for anything that we did not make.
  package func verify(_ authKey: String) -> Claim? {
    let parts = authKey.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let device = DeviceID(parts[0]) else { return nil }
    let isAsked = parts[1].hasPrefix("a")
    guard let epoch = Int16(parts[1].dropFirst(isAsked ? 1 : 0)) else { return nil }
    guard ConstantTime.isEqual(Array(parts[2].utf8), Array(seal(device, String(parts[1])).utf8)) else { return nil }
    return Claim(device: device, epoch: epoch, isAsked: isAsked)
  }

  private func seal(_ device: DeviceID, _ epoch: String) -> String {
    let message = Array("authKey \(device) \(epoch)".utf8)
    return Hex.encode(hmac.authenticationCode(for: message).prefix(20))
  }
}
