import Testing

@testable import JSON

@Suite struct JSONReaderTests {
  /// Reads one value of a text.
  private func read<Value>(
    _ text: String, _ body: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value {
    var reader = JSONReader(Array(text.utf8))
    let value = try body(&reader)
    try reader.finish()
    return value
  }

  private func string(_ text: String) throws(JSONError) -> String {
    try read(text) { reader throws(JSONError) in try reader.readString() }
  }

  private func integer(_ text: String) throws(JSONError) -> Int64 {
    try read(text) { reader throws(JSONError) in try reader.readInteger() }
  }

  private func skip(_ text: String) throws(JSONError) {
    try read(text) { reader throws(JSONError) in try reader.skip() }
  }

  private func error(_ body: () throws -> Void) -> JSONError? {
    do {
      try body()
      return nil
    } catch {
      return error as? JSONError
    }
  }

  // MARK: Strings

  @Test(arguments: [
    (#""""#, ""), (#""plain""#, "plain"), (#""이체 완료""#, "이체 완료"),
    (#""\" \\ \/ \b \f \n \r \t""#, "\" \\ / \u{8} \u{c} \n \r \t"),
    (#""\u0041\u00e9\uD55C""#, "Aé한"), (#""\uD83D\uDE00""#, "😀"), (#""\ud83d\ude00!""#, "😀!"),
    (#""a\u0001b""#, "a\u{1}b"), (#""\u007f""#, "\u{7f}"),
  ])
  func `strings are unescaped`(text: String, expected: String) throws {
    #expect(try string(text) == expected)
  }

  @Test(arguments: [
    #""\uD83D""#, #""\uD83Dx""#, #""\uD83D\n""#, #""\uD83D\u0041""#, #""\uDE00""#, #""\uDE00\uD83D""#,
  ])
  func `half a surrogate pair is refused`(text: String) {
    #expect(error { _ = try string(text) }?.reason == "holds half a surrogate pair")
  }

  @Test func `the character U+0000 is refused, also at the end of an escape`() {
    #expect(error { _ = try string(#""a\u0000b""#) }?.reason == "holds U+0000, which cannot be stored")
  }

  @Test(arguments: [#""\x""#, #""\u12""#, #""\u12G4""#, #""\"#, #""open"#, "\"a\nb\"", "\"a\u{0}b\"", "'a'"])
  func `malformed strings are refused`(text: String) {
    #expect(error { _ = try string(text) } != nil)
  }

  @Test(arguments: [
    [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22],
  ])
  func `bytes that are not UTF-8 are refused`(bytes: [UInt8]) {
    var reader = JSONReader(bytes)
    #expect(throws: JSONError.malformed("is not UTF-8")) { try reader.readString() }
  }

  @Test func `each byte is judged alike, wherever it is in a string`() {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<20 {
        var text = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
        text[place] = byte
        var reader = JSONReader([UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")])
        var skipping = reader
        let read = try? reader.readString()
        // What is kept as raw JSON is only skipped, and must be as valid.
        let isSkipped = (try? skipping.skip()) != nil
        #expect(isSkipped == (read != nil), "byte \(byte) at \(place)")
        if isSkipped { #expect(skipping.position == reader.position, "byte \(byte) at \(place)") }
        switch byte {
        case UInt8(ascii: "\""): #expect(read == String(repeating: "x", count: place))
        // Before an x it begins no escape; at the end it escapes the quotation mark.
        case UInt8(ascii: "\\"), 0..<0x20, 0x80...: #expect(read == nil, "byte \(byte) at \(place)")
        default: #expect(read.map { Array($0.utf8) } == text, "byte \(byte) at \(place)")
        }
      }
    }
  }

  @Test func `bytes that are not UTF-8 are refused behind an escape too`() {
    var reader = JSONReader([0x22, 0x5C, 0x6E, 0xFF, 0x22])
    #expect(throws: JSONError.malformed("is not UTF-8")) { try reader.readString() }
  }

  @Test func `thirty combining marks in a row are taken, one more is refused, also as escapes and in a name`() throws {
    for (mark, count) in [("\u{301}", 30), (#"\u0301"#, 30)] {
      let most = "a" + String(repeating: mark, count: count)
      #expect(try string("\"\(most)\"").unicodeScalars.count == 31)
      for text in ["\"\(most)\(mark)\"", "{\"\(most)\(mark)\":1}"] {
        #expect(error { try skip(text) }?.reason == "has more than 30 combining marks in a row", "\(text)")
      }
    }
  }

  // MARK: Members

  private func object(_ count: Int, _ last: String = "") -> String {
    "{" + (0..<count).map { "\"n\($0)\":0" }.joined(separator: ",") + last + "}"
  }

  @Test func `an object may have a thousand members, and not one more`() throws {
    try skip(object(1_000))
    #expect(error { try skip(object(1_001)) }?.description == "has more than 1000 members")
    #expect(error { try skip("{\"a\":\(object(1_001))}") }?.description == "/a: has more than 1000 members")
    // Each object counts for itself.
    try skip("[" + Array(repeating: object(1_000), count: 3).joined(separator: ",") + "]")
  }

  @Test(arguments: [1, 15, 16, 17, 18, 500, 999]) func `a name given twice is found among however many`(count: Int) {
    for name in ["n0", "n\(count / 2)", "n\(count - 1)"] {
      #expect(error { try skip(object(count, ",\"\(name)\":1")) }?.description == "/\(name): is given twice")
    }
    // Two ways to write the same letter are the same name, as they are for everybody who compares it later.
    #expect(error { try skip(object(count, ",\"\u{E9}\":1,\"e\u{301}\":1")) }?.reason == "is given twice")
  }

  // MARK: Numbers

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("999999999999999999", 999_999_999_999_999_999),
    ("-999999999999999999", -999_999_999_999_999_999), (" \t\r\n5 ", 5),
  ])
  func `whole numbers up to 18 digits are read`(text: String, expected: Int64) throws {
    #expect(try integer(text) == expected)
  }

  @Test(arguments: [
    ("1.0", 1), ("-7.000", -7), ("1e3", 1000), ("1E+2", 100), ("120e-1", 12), ("1.5e1", 15), ("0.0", 0),
    ("0e999999999", 0),
    ("0.00012e5", 12), ("5.45365693859e11", 545_365_693_859), ("1000000000000000000000e-21", 1),
    ("-999999999999999999.0", -999_999_999_999_999_999),
  ])
  func `a whole number may be written with a fraction or an exponent`(text: String, expected: Int64) throws {
    #expect(try integer(text) == expected)
  }

  @Test(arguments: ["1e18", "1e999999999999999999999", "1000000000000000000.0", "9.99e30"])
  func `a number that is too large is refused however it is written`(text: String) {
    #expect(error { _ = try integer(text) }?.reason == "is too large a number")
  }

  @Test(arguments: ["1.5", "1e-1", "0.1", "1e-999999999999999999999", "-0.5", "12.34e1"])
  func `fractions are no whole numbers`(text: String) throws {
    #expect(error { _ = try integer(text) }?.reason == "must be a whole number")
    try skip(text)
  }

  @Test func `19 digits are too many`() {
    #expect(error { _ = try integer("1000000000000000000") }?.reason == "is too large a number")
  }

  @Test(arguments: ["01", "-", "+1", ".5", "1.", "1e", "1e+", "--1", "0x10", "NaN", "Infinity", "-a"])
  func `what is no JSON number is refused`(text: String) {
    #expect(error { try skip(text) } != nil)
  }

  // MARK: Words

  @Test func `the three words are read, and nothing like them`() throws {
    #expect(try read("true") { reader throws(JSONError) in try reader.readBool() })
    #expect(try !read("false") { reader throws(JSONError) in try reader.readBool() })
    #expect(try read("null") { reader throws(JSONError) in try reader.readNull() })
    for text in ["tru", "truE", "nul", "falsey", "True"] { #expect(error { try skip(text) } != nil, "\(text)") }
  }

  @Test func `asking for null leaves another value alone`() throws {
    var reader = JSONReader(Array("3".utf8))
    #expect(try !reader.readNull())
    #expect(try reader.readInteger() == 3)
  }

  // MARK: Objects and arrays

  @Test func `members come in order, with white space anywhere`() throws {
    var names: [String] = []
    try read(" { \"a\" : 1 ,\n\"b\":[ ] , \"c\" : { } } ") { reader throws(JSONError) in
      try reader.readObject { (reader, name) throws(JSONError) in
        names.append(name)
        try reader.skip()
      }
    }
    #expect(names == ["a", "b", "c"])
  }

  @Test(arguments: [
    "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[",
    "[1",
    "[1,", "[1,]", "[1 2]", "]", "}", "", " ", "1 2", "{}{}", "[]x", "{,}", "[,]",
  ])
  func `broken structure is refused`(text: String) {
    #expect(error { try skip(text) } != nil)
  }

  @Test func `a name given twice is refused and named, also when written differently`() {
    #expect(error { try skip(#"{"a":1,"a":2}"#) } == JSONError("is given twice", pointer: "/a"))
    #expect(error { try skip(#"{"x":{"a":1,"\u0061":2}}"#) } == JSONError("is given twice", pointer: "/x/a"))
  }

  @Test func `errors point to the value, through objects and arrays`() {
    let text = #"{"receipts":[{"seqno":"1"},{"seqno":"2","psid":5}]}"#
    let found = error {
      try read(text) { reader throws(JSONError) in
        try reader.readObject { (reader, _) throws(JSONError) in
          try reader.readArray { (reader, _) throws(JSONError) in
            try reader.readObject { (reader, _) throws(JSONError) in _ = try reader.readString() }
          }
        }
      }
    }
    #expect(found == JSONError("must be a string", pointer: "/receipts/1/psid"))
    #expect(found?.description == "/receipts/1/psid: must be a string")
  }

  @Test func `pointers escape slash and tilde`() {
    #expect(JSONError("bad").inside("a/b~c").pointer == "/a~1b~0c")
    #expect(JSONError.pointer(to: "data", "a/b~c") == "/data/a~1b~0c")
  }

  @Test func `32 levels are read, 33 are refused`() throws {
    try skip(String(repeating: "[", count: 32) + String(repeating: "]", count: 32))
    let found = error { try skip(String(repeating: "[", count: 33) + String(repeating: "]", count: 33)) }
    #expect(found?.reason == "is nested deeper than 32")
    // A hundred thousand of them cost no stack either.
    #expect(error { try skip(String(repeating: "[", count: 100_000)) }?.reason == "is nested deeper than 32")
  }

  @Test func `siblings do not count as depth`() throws {
    try skip("[" + Array(repeating: "[{}]", count: 100).joined(separator: ",") + "]")
  }

  @Test func `raw text is taken as it stands`() throws {
    let raw = try read(#" {"a" : [1, "\u0041"]} "#) { reader throws(JSONError) in try reader.readRaw() }
    #expect(String(decoding: raw, as: UTF8.self) == #"{"a" : [1, "\u0041"]}"#)
  }

  @Test(arguments: [
    ("{", JSONReader.Kind.object), ("[", .array), ("\"", .string), ("-", .number), ("9", .number), ("t", .boolean),
    ("f", .boolean), ("n", .null),
  ])
  func `a look tells the kind and reads nothing`(text: String, kind: JSONReader.Kind) throws {
    var reader = JSONReader(Array(text.utf8))
    #expect(try reader.peek() == kind)
    #expect(try reader.peek() == kind)
  }

  @Test func `asking for the wrong kind says what is wanted`() {
    #expect(error { _ = try string("1") }?.reason == "must be a string")
    #expect(error { _ = try integer("\"1\"") }?.reason == "must be a whole number")
    #expect(
      error { _ = try read("1") { reader throws(JSONError) in try reader.readBool() } }?.reason
        == "must be true or false")
    #expect(
      error { try read("1") { reader throws(JSONError) in try reader.readObject { _, _ in } } }?.reason
        == "must be an object")
    #expect(
      error { try read("1") { reader throws(JSONError) in try reader.readArray { _, _ in } } }?.reason
        == "must be an array")
  }
}
