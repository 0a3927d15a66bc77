import Testing

@testable import JSON

@Suite struct JSONWriterTests {
  private func write(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test func `members and elements are separated, empty ones too`() {
    let text = write { writer in
      writer.object { writer in
        writer.member("a", 1)
        writer.member("b", array: { _ in })
        writer.member("c", object: { _ in })
        writer.member(
          "d",
          array: { writer in
            writer.value("x")
            writer.value(-2)
            writer.value(true)
            writer.null()
            writer.object { $0.member("e", false) }
            writer.raw(Array("[1]".utf8))
          })
      }
    }
    #expect(text == #"{"a":1,"b":[],"c":{},"d":["x",-2,true,null,{"e":false},[1]]}"#)
  }

  @Test func `what is missing is null`() {
    let text = write { writer in
      writer.object { writer in
        writer.member("text", nil as String?)
        writer.member("number", nil as Int64?)
      }
    }
    #expect(text == #"{"text":null,"number":null}"#)
  }

  @Test func `strings escape what JSON wants escaped, and nothing else`() {
    let text = write { $0.value("\" \\ / \n \r \t \u{1} \u{1f} \u{7f} 한 😀") }
    #expect(text == #""\" \\ / \n \r \t \u0001 \u001f "# + "\u{7f} 한 😀\"")
  }

  @Test func `what must be escaped is found anywhere in a long text`() {
    for place in 0..<70 {
      let (before, behind) = (String(repeating: "x", count: place), String(repeating: "한", count: 70 - place))
      #expect(write { $0.value("\(before)\n\(behind)") } == "\"\(before)\\n\(behind)\"")
      #expect(write { $0.value(before + behind) } == "\"\(before)\(behind)\"")
    }
  }

  @Test func `a text is escaped like its bytes, whatever it holds`() {
    let numbers: [UInt32] = Array(0..<0x100) + [0x2028, 0x2029, 0xFEFF, 0xFFFD, 0xFFFF, 0x10FFFF]
    for scalar in numbers.compactMap({ Unicode.Scalar($0) }) {
      let text = "ab\(scalar)c"
      var (whole, apart): ([UInt8], [UInt8]) = ([], [])
      JSONWriter.escape(text, into: &whole)
      JSONWriter.escape(Array(text.utf8), into: &apart)
      #expect(whole == apart, "U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test func `names are escaped too`() {
    #expect(write { $0.object { $0.member("a\"b", 1) } } == #"{"a\"b":1}"#)
  }

  @Test func `the largest numbers are written whole`() {
    #expect(write { $0.value(Int64.min) } == "-9223372036854775808")
    #expect(write { $0.value(UInt64.max) } == "18446744073709551615")
  }

  @Test func `every character survives writing and reading`() throws {
    for first in stride(from: UInt32(1), through: 0x10FFFF, by: 977) {
      guard let scalar = Unicode.Scalar(first) else { continue }
      let text = "a\(Character(scalar))b"
      var writer = JSONWriter()
      writer.value(text)
      var reader = JSONReader(writer.bytes)
      #expect(try reader.readString() == text)
    }
    for byte in UInt8(1)...0x7F {
      var writer = JSONWriter()
      writer.value(String(UnicodeScalar(byte)))
      var reader = JSONReader(writer.bytes)
      #expect(try reader.readString() == String(UnicodeScalar(byte)))
    }
  }
}
