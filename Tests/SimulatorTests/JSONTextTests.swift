import Testing

@testable import Simulator

@Suite struct `JSON text` {
  private func members(_ text: String) -> [String: String]? {
    let bytes = Array(text.utf8)
    var found: [String: String] = [:]
    let isWhole = JSONText.members(of: bytes.span) { key, value in
      found[ASCII.string(bytes.span.extracting(key))] = ASCII.string(bytes.span.extracting(value.range))
    }
    return isWhole ? found : nil
  }

  @Test func `members of every kind are found`() {
    let text = #" { "a" : "x\"y" , "b":[1,{"c":2}],"d":-1.5e+3,"e":true,"f":null,"g":{} } "#
    #expect(
      members(text) == [
        "a": #""x\"y""#, "b": #"[1,{"c":2}]"#, "d": "-1.5e+3", "e": "true", "f": "null", "g": "{}",
      ])
    #expect(members("{}") == [:])
  }

  @Test(arguments: [
    "", "{", "}", "[]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":01}"#, #"{"a":1.}"#, #"{"a":.5}"#,
    #"{"a":+1}"#, #"{"a":tru}"#, #"{"a":"\x"}"#, #"{"a":"\u12g4"}"#, "{\"a\":\"\n\"}", #"{"a":[1,]}"#, #"{"a":1}}"#,
    #"{"a":"x}"#, #"{a:1}"#, #"{'a':1}"#, #"{"a":1e}"#, #"{"a":-}"#,
  ])
  func `malformed text is refused`(text: String) {
    #expect(members(text) == nil)
  }

  @Test func `nesting has a limit`() {
    func nested(_ depth: Int) -> String {
      #"{"a":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "}"
    }
    #expect(members(nested(JSONText.deepest - 1)) != nil)
    #expect(members(nested(JSONText.deepest)) == nil)
    #expect(members(nested(100_000)) == nil)
  }

  @Test func `base64url is read and written without padding`() {
    for count in 0..<10 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 83 + 250) }
      let text = Array(Base64URL.encode(bytes).utf8)
      #expect(Base64URL.decode(text.span) == bytes)
      #expect(!text.contains(0x3D))
    }
    for bad in ["a", "a=", "a+bc", "a/bc", "ab c"] {
      let text = Array(bad.utf8)
      #expect(Base64URL.decode(text.span) == nil)
    }
  }
}
