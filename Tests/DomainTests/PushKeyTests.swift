import Crypto
import Testing

@testable import Domain

@Suite struct PushKeyTests {
  private let first = SymmetricKey(Array(UInt8(0)..<32))
  private let second = SymmetricKey(Array(UInt8(100)..<132))
  private let psid = String(repeating: "ab", count: 32)

  @Test func `the key is the start of an HMAC over number and token`() {
    // Computed with another implementation: HMAC-SHA-256(00 01 … 1f, "104" 00 "abab…").
    let keyring = PushKeyring(present: first)
    #expect(keyring.make(seqno: "104", psid: psid) == "ccd698da8e9e4d0fb422a932d1bdbbc6d06cc835")
    var bytes: [UInt8] = []
    keyring.append(seqno: "104", psid: psid, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == "ccd698da8e9e4d0fb422a932d1bdbbc6d06cc835")
  }

  @Test func `either case is believed`() {
    let keyring = PushKeyring(present: first)
    let key = keyring.make(seqno: "104", psid: psid)
    #expect(keyring.isValid(key, seqno: "104", psid: psid))
    #expect(keyring.isValid(key.uppercased(), seqno: "104", psid: psid))
  }

  @Test func `another message, another token and every changed digit are refused`() {
    let keyring = PushKeyring(present: first)
    let key = keyring.make(seqno: "104", psid: psid)
    #expect(!keyring.isValid(key, seqno: "105", psid: psid))
    #expect(!keyring.isValid(key, seqno: "104", psid: psid + "ab"))
    // The separator keeps "10" + "4…" from being "104" + "…".
    #expect(keyring.make(seqno: "10", psid: "4" + psid) != key)
    for index in key.indices {
      var changed = key
      changed.replaceSubrange(index...index, with: key[index] == "0" ? "1" : "0")
      #expect(!keyring.isValid(changed, seqno: "104", psid: psid))
    }
    for text in ["", String(key.dropLast()), key + "0", String(repeating: "z", count: 40)] {
      #expect(!keyring.isValid(text, seqno: "104", psid: psid))
    }
  }

  @Test func `after a change of keys the old one is believed, two changes later not`() {
    let old = PushKeyring(present: first).make(seqno: "1", psid: psid)
    #expect(PushKeyring(present: second, previous: first).isValid(old, seqno: "1", psid: psid))
    #expect(!PushKeyring(present: second).isValid(old, seqno: "1", psid: psid))
    let third = SymmetricKey.random()
    #expect(!PushKeyring(present: third, previous: second).isValid(old, seqno: "1", psid: psid))
  }
}
