import Testing

@testable import SDKDoor

/// MESSAGE as senders write it: plain, as an object, encoded once more.
@Suite struct MessageTextTests {
  @Test(arguments: [
    ("%ED%95%9C%EA%B8%80", "한글"), ("a%20b+c", "a b c"), ("%7B%22body%22%3A%22x%22%7D", "{\"body\":\"x\"}"),
    ("100%", "100%"), ("100%25", "100%"), ("50% off", "50% off"), ("%CNAME%", "%CNAME%"), ("%CUID%", "%CUID%"),
    ("%VAR1%", "%VAR1%"), ("a+b", "a+b"), ("한%20글", "한%20글"), ("%ff", "%ff"), ("%00", "%00"), ("", ""),
  ])
  func `a second encoding is undone where it can be nothing else`(text: String, expected: String) {
    #expect(MessageText.decoded(text) == expected)
  }
}

/// Files of people.
@Suite struct CSVLinesTests {
  private func lines(_ text: String) throws -> [CSVLines.Line] { try CSVLines(Array(text.utf8)).lines }

  @Test func `lines hold a CUID, a name and variables`() throws {
    #expect(
      try lines("kim,Kim\r\nlee,\"Lee, \"\"A\"\"\nB\",v1,,v3\n\npark") == [
        CSVLines.Line(clientUID: "kim", name: "Kim", variables: []),
        CSVLines.Line(clientUID: "lee", name: "Lee, \"A\"\nB", variables: ["v1", "", "v3"]),
        CSVLines.Line(clientUID: "park", name: "", variables: []),
      ])
  }

  @Test func `a byte order mark is no part of the first CUID`() throws {
    #expect(try lines("\u{FEFF}kim,Kim").first?.clientUID == "kim")
  }

  @Test(arguments: ["", "\r\n", ",x", "\"a", "\"a\"b,c", "a,\0", "k,n,1,2,3,4,5,6,7,8,9,10"])
  func `a wrong file is refused with its line`(text: String) {
    #expect(throws: Refusal.self) { try lines(text) }
  }

  @Test func `bytes that are no UTF-8 are refused`() {
    #expect(throws: Refusal.self) { try CSVLines([0xFF, 0x2C]) }
  }
}
