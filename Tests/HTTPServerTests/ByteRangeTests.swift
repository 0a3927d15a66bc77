import Testing

@testable import HTTPServer

@Suite struct `Byte ranges` {
  @Test(
    arguments: [
      (nil, 10, ByteRange.whole), ("bytes=0-9", 10, .part(0..<10)), ("bytes=0-0", 10, .part(0..<1)),
      ("bytes=9-", 10, .part(9..<10)), ("bytes=9-99", 10, .part(9..<10)), ("bytes=-3", 10, .part(7..<10)),
      ("bytes=-10", 10, .part(0..<10)), ("bytes=-11", 10, .part(0..<10)), ("BYTES=1-2", 10, .part(1..<3)),
      ("bytes= 1 - 2 ", 10, .part(1..<3)), ("bytes=10-", 10, .unsatisfiable), ("bytes=10-20", 10, .unsatisfiable),
      ("bytes=-0", 10, .unsatisfiable), ("bytes=0-", 0, .unsatisfiable), ("bytes=-1", 0, .unsatisfiable),
      ("bytes=2-1", 10, .whole), ("bytes=", 10, .whole), ("bytes=-", 10, .whole), ("bytes=a-2", 10, .whole),
      ("bytes=1-b", 10, .whole), ("bytes=1", 10, .whole), ("bytes=1-2-3", 10, .whole), ("bytes=+1-2", 10, .whole),
      ("bytes=0-1,3-4", 10, .whole), ("items=0-1", 10, .whole),
      ("bytes=0-99999999999999999999999", 10, .part(0..<10)), ("bytes=99999999999999999999999-", 10, .unsatisfiable),
      ("bytes=-99999999999999999999999", 10, .part(0..<10)),
    ] as [(String?, Int, ByteRange)])
  func `a range is understood, out of reach, or ignored`(field: String?, length: Int, expected: ByteRange) {
    #expect(ByteRange(field, length: length) == expected)
  }

  @Test(arguments: [
    ("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("*", true), (" \"a\" ", true), ("\"b\"", false),
    ("a", false), ("", false),
  ])
  func `a tag is found in a list`(field: String, isThere: Bool) {
    #expect(EntityTag.isListed("\"a\"", in: field) == isThere)
  }
}
