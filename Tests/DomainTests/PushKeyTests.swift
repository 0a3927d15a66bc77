import Crypto
import Testing

@testable import Domain

@Suite struct PushKeyTests {
  private let first = SymmetricKey(Array(UInt8(0)..<32))
  private let second = SymmetricKey(Array(UInt8(100)..<132))
  private func proves(_ keyring: PushKeyring, _ key: String, seqno: String, psid: String) -> Bool {
    keyring.proof(key, seqno: seqno, psid: psid) != nil
  }

  private let psid = String(repeating: "ab", count: 32)

  @Test func `the key is the start of an HMAC over number and token`() {
    // Computed with another implementation.
    #expect(PushKeyring(present: first).make(seqno: "104", psid: psid) == "ccd698da8e9e4d0f4bdd56cd2e89252b5a780487")
    let place = DeliveryCoordinates(block: 7, position: 1999, hasFallback: true)
    let keyring = PushKeyring(present: first, incarnation: 1_234_567)
    var bytes: [UInt8] = []
    keyring.append(seqno: "104", psid: psid, at: place, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "ccd698da8e9e4d0fb422a94d4e1708e72d28b929")
    #expect(keyring.proof("ccd698da8e9e4d0fb422a94d4e1708e72d28b929", seqno: "104", psid: psid)?.coordinates == place)
    #expect(
      keyring.proof("ccd698da8e9e4d0f4bdd56cd2e89252b5a780487", seqno: "104", psid: psid)
        == PushKeyring.Proof(coordinates: nil))
  }

  @Test func `in another life of the database a key proves its token, and no place`() {
    for (block, position) in [(0, 0), (5, 2_047), (DeliveryCoordinates.blocks - 2, 1)] as [(Int32, Int32)] {
      let place = DeliveryCoordinates(block: block, position: position, hasFallback: false)
      #expect(place != nil)
      let former = PushKeyring(present: first, incarnation: 4)
      let key = former.make(seqno: "104", psid: psid, at: place)
      #expect(former.proof(key, seqno: "104", psid: psid)?.coordinates == place)
      #expect(
        PushKeyring(present: first, incarnation: 5).proof(key, seqno: "104", psid: psid)
          == PushKeyring.Proof(coordinates: nil))
      // After a change of keys too.
      let rotated = PushKeyring(present: second, previous: first, incarnation: 4)
      #expect(rotated.proof(key, seqno: "104", psid: psid)?.coordinates == place)
    }
    #expect(DeliveryCoordinates(block: DeliveryCoordinates.blocks - 1, position: 0, hasFallback: false) == nil)
    #expect(DeliveryCoordinates(block: 0, position: DeliveryCoordinates.positions, hasFallback: false) == nil)
    #expect(DeliveryCoordinates(block: -1, position: 0, hasFallback: false) == nil)
  }

  @Test func `either case is believed`() {
    let keyring = PushKeyring(present: first)
    let key = keyring.make(seqno: "104", psid: psid)
    #expect(proves(keyring, key, seqno: "104", psid: psid))
    #expect(proves(keyring, key.uppercased(), seqno: "104", psid: psid))
  }

  @Test func `another message, another token and every changed digit are refused`() {
    let keyring = PushKeyring(present: first)
    let key = keyring.make(seqno: "104", psid: psid)
    #expect(!proves(keyring, key, seqno: "105", psid: psid))
    #expect(!proves(keyring, key, seqno: "104", psid: psid + "ab"))
    // The separator keeps "10" + "4…" from being "104" + "…".
    #expect(keyring.make(seqno: "10", psid: "4" + psid) != key)
    let place = DeliveryCoordinates(block: 3, position: 4, hasFallback: false)
    let placed = keyring.make(seqno: "104", psid: psid, at: place)
    for index in placed.indices {
      var changed = placed
      changed.replaceSubrange(index...index, with: placed[index] == "0" ? "1" : "0")
      let proof = keyring.proof(changed, seqno: "104", psid: psid)
      // What proves the token is refused; what proves the place leaves it unknown.
      let provesToken = placed.distance(from: placed.startIndex, to: index) >= 16
      #expect(provesToken ? proof == PushKeyring.Proof(coordinates: nil) : proof == nil)
    }
    for text in ["", String(key.dropLast()), key + "0", String(repeating: "z", count: 40)] {
      #expect(!proves(keyring, text, seqno: "104", psid: psid))
    }
  }

  @Test func `after a change of keys the old one is believed, two changes later not`() {
    let old = PushKeyring(present: first).make(seqno: "1", psid: psid)
    #expect(proves(PushKeyring(present: second, previous: first), old, seqno: "1", psid: psid))
    #expect(!proves(PushKeyring(present: second), old, seqno: "1", psid: psid))
    let third = SymmetricKey.random()
    #expect(!proves(PushKeyring(present: third, previous: second), old, seqno: "1", psid: psid))
  }
}
