import Postgres
import Testing

@Suite struct UUIDValueTests {
  @Test func `text is read in either case and written in lower case`() {
    let uuid = UUIDValue("00112233-4455-6677-8899-AABBccddeeff")
    #expect(uuid == UUIDValue(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF))
    #expect(uuid?.description == "00112233-4455-6677-8899-aabbccddeeff")
  }

  @Test(arguments: [
    "", "00112233-4455-6677-8899-aabbccddeef", "00112233-4455-6677-8899-aabbccddeeff0",
    "00112233-4455-6677-8899-aabbccddeefg", "001122334455-6677-8899-aabbccddeeff-",
    "0011223344556677889900aabbccddeeff00",
  ])
  func `anything else is refused`(text: String) {
    #expect(UUIDValue(text) == nil)
  }

  @Test func `the order is that of the bytes, without sign`() {
    let values = [UUIDValue(high: .max, low: 0), UUIDValue(high: 0, low: .max), UUIDValue(high: 0, low: 1)]
    #expect(values.sorted().map(\.low) == [1, .max, 0])
  }

  @Test func `random ones differ and carry version and variant`() {
    let values = (0..<100).map { _ in UUIDValue.random() }
    #expect(Set(values).count == 100)
    #expect(values.allSatisfy { $0.high >> 12 & 15 == 4 && $0.low >> 62 == 2 })
  }
}
