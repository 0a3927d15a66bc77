import Crypto
import Testing
import Time

@testable import Domain

/// Keys of the existing SDK: what they prove, and for how long.
@Suite struct SDKKeyTests {
  private let keyring = SDKKeyring(key: SymmetricKey.random())
  private let device = DeviceID(appID: "com.example.bank", network: .apns, installation: "d1")
  private let now = Timestamp(seconds: 1_800_000_000)

  private var subject: SDKKeyring.Subject {
    SDKKeyring.Subject(app: 7, psid: "a1b2", claim: AuthKeyring.Claim(device: device, epoch: 3))
  }

  @Test func `a key proves what it was made for`() {
    let verdict = keyring.verify(keyring.make(subject, now: now), now: now)
    #expect(verdict == .genuine(subject))
    #expect(subject.covers(psid: "a1b2"))
    #expect(!subject.covers(psid: "a1b3"))
  }

  @Test func `a key of somebody who is not registered names no device`() {
    let guest = SDKKeyring.Subject(app: 7, psid: "a1b2", claim: nil)
    #expect(keyring.verify(keyring.make(guest, now: now), now: now) == .genuine(guest))
  }

  @Test func `a key ends after half an hour, and not before`() {
    let key = keyring.make(subject, now: now)
    #expect(keyring.verify(key, now: now + .seconds(1_799)) == .genuine(subject))
    #expect(keyring.verify(key, now: now + .seconds(1_800)) == .expired)
  }

  @Test func `whatever is changed, the key is forged`() {
    let key = keyring.make(subject, now: now)
    for index in key.indices where key[index] != "." && key[index] != "-" {
      var changed = key
      changed.replaceSubrange(index...index, with: key[index] == "1" ? "2" : "1")
      #expect(keyring.verify(changed, now: now) == .forged, "\(changed)")
    }
    let other = SDKKeyring(key: SymmetricKey.random())
    for wrong in ["", ".", ".....", key + "0", String(key.dropLast()), other.make(subject, now: now), "\u{0}"] {
      #expect(keyring.verify(wrong, now: now) == .forged, "\(wrong)")
    }
    #expect(keyring.verify(String(repeating: "1.", count: 100_000), now: now) == .forged)
  }

  @Test func `a device's own authKey is no key of the SDK, nor the other way round`() {
    let secret = SymmetricKey.random()
    let devices = AuthKeyring(key: secret)
    let sdk = SDKKeyring(key: secret)
    #expect(sdk.verify(devices.make(device: device, epoch: 3), now: now) == .forged)
    #expect(devices.verify(sdk.make(subject, now: now)) == nil)
  }
}
