import Crypto
import Testing

@testable import Domain

@Suite struct AuthKeyTests {
  private let keyring = AuthKeyring(key: SymmetricKey(Array(UInt8(0)..<32)))
  private let device = DeviceID(appID: "com.example.bank", network: .apns, installation: "device-1")

  @Test func `a key names its device and epoch, signed`() {
    let key = keyring.make(device: device, epoch: 3)
    #expect(key == "ae6eab5c-7e56-8c39-8ef7-37beb2872314.3.384c4d656d81c2f72a0744ef22dfaba3090033b4")
    #expect(keyring.verify(key) == AuthKeyring.Claim(device: device, epoch: 3))
  }

  @Test func `a key records what it was requested with`() {
    let asked = AuthKeyring.Claim(device: device, epoch: 3, isTokenOnly: true)
    let key = keyring.make(device: device, epoch: 3, isTokenOnly: true)
    #expect(keyring.verify(key) == asked)
    #expect(keyring.verify(key.replacing(".a3.", with: ".3.")) == nil)
  }

  @Test func `no character of a key can be changed`() {
    let key = keyring.make(device: device, epoch: 3)
    for index in key.indices {
      var changed = key
      changed.replaceSubrange(index...index, with: key[index] == "7" ? "6" : "7")
      #expect(keyring.verify(changed) == nil, "\(changed)")
    }
  }

  @Test func `another device, another epoch and another server's key are refused`() {
    let parts = keyring.make(device: device, epoch: 3).split(separator: ".")
    let other = DeviceID(appID: "com.example.bank", network: .apns, installation: "device-2")
    #expect(keyring.verify("\(other).3.\(parts[2])") == nil)
    #expect(keyring.verify("\(parts[0]).4.\(parts[2])") == nil)
    let elsewhere = AuthKeyring(key: SymmetricKey.random()).make(device: device, epoch: 3)
    #expect(keyring.verify(elsewhere) == nil)
  }

  @Test(arguments: ["", ".", "..", "a.b.c", "....", "ae6eab5c-7e56-8c39-8ef7-37beb2872316.3."])
  func `what is no key is refused`(text: String) {
    #expect(keyring.verify(text) == nil)
  }
}
