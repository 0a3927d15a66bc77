import Testing

@testable import API

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
