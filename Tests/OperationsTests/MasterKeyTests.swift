import Operations
import Testing

/// A ring of master keys: one seals, each opens what it has sealed.
@Suite struct MasterKeyTests {
  private let old = [UInt8](repeating: 1, count: 32)
  private let new = [UInt8](repeating: 2, count: 32)

  @Test func `what a former key has sealed opens, and is sealed anew with the one that seals`() throws {
    let ring = try MasterKey(keys: [old, new])
    let sealed = ring.seal([1, 2, 3], for: "here")
    #expect(ring.seal(with: ring.ids[1]) && ring.sealingID == ring.ids[1])
    #expect(try ring.open(sealed, for: "here") == [1, 2, 3])
    let renewed = try #require(try ring.renew(sealed, for: "here"))
    #expect(try MasterKey(bytes: new).open(renewed, for: "here") == [1, 2, 3])
    #expect(try ring.renew(renewed, for: "here") == nil)
  }

  @Test func `another key opens nothing, nor does the right one in another place`() throws {
    let sealed = try MasterKey(bytes: old).seal([1], for: "here")
    #expect(throws: (any Error).self) { try MasterKey(bytes: new).open(sealed, for: "here") }
    #expect(throws: (any Error).self) { try MasterKey(bytes: new).renew(sealed, for: "here") }
    #expect(throws: (any Error).self) { try MasterKey(bytes: old).open(sealed, for: "there") }
    #expect(try !MasterKey(bytes: new).seal(with: MasterKey.id(of: sealed)))
  }

  @Test func `a file that is read again keeps the key that seals`() throws {
    let ring = try MasterKey(bytes: old)
    let copy = ring
    try ring.take([new, old])
    let sealing = try MasterKey(bytes: old).sealingID
    #expect(copy.ids.count == 2 && copy.sealingID == sealing)
    #expect(throws: (any Error).self) { try ring.take([[1]]) }
  }
}
