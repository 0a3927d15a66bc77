import Testing

@testable import API

/// Forms as clients send them, and as nobody should.
@Suite struct FormTests {
  private static let plain = "application/x-www-form-urlencoded"

  private func form(_ body: String, _ type: String? = plain) throws -> Form {
    try Form(Array(body.utf8), contentType: type)
  }

  private func refusal(_ body: [UInt8], _ type: String? = plain) -> LegacyRefusal? {
    do throws(LegacyRefusal) {
      _ = try Form(body, contentType: type)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    nil, plain, "application/x-www-form-urlencoded;charset=UTF-8", "Application/X-WWW-Form-Urlencoded; charset=utf-8",
    "application/x-www-form-urlencoded; charset=\"UTF-8\"",
  ])
  func `a form is read with or without charset`(type: String?) throws {
    let form = try form("CUID=kim%2001&cname=%EA%B9%80+a&EMPTY=&=&&LAST", type)
    #expect(form["CUID"] == "kim 01")
    #expect(form["CNAME"] == "김 a")
    #expect(form["EMPTY"] == nil)
    #expect(form["LAST"] == nil)
  }

  @Test(arguments: [
    "text/plain", "application/json", "application/x-www-form-urlencoded;charset=EUC-KR", "",
    "multipart/mixed;boundary=x",
  ])
  func `another content type is refused`(type: String) {
    #expect(refusal(Array("A=1".utf8), type)?.code == .serverError)
  }

  @Test(arguments: ["A=%", "A=%4", "A=%zz", "A=%C3%28", "A=%ff", "%zz=1", "A=%00", "%00=1", "A=1&a=2", "A=\u{0}"])
  func `broken escapes, bad UTF-8, NUL and contradicting fields are refused by name`(body: String) {
    let refusal = refusal(Array(body.utf8))
    #expect(refusal?.code == .serverError)
    #expect(refusal?.text.hasPrefix("A ") == true, "\(refusal?.text ?? "taken")")
  }

  @Test func `raw bytes that are no UTF-8 are refused`() {
    #expect(refusal(Array("A=".utf8) + [0xC3, 0x28]) != nil)
    #expect(refusal([0xFF, 0xFE, 0x3D, 0x31]) != nil)
  }

  @Test func `the same field with the same value twice is one field`() throws {
    #expect(try form("A=1&A=1")["A"] == "1")
  }

  @Test func `a hundred fields are read, one more is refused, and so is a name that is too long`() throws {
    let hundred = (0..<100).map { "F\($0)=1" }.joined(separator: "&")
    #expect(try form(hundred)["F99"] == "1")
    #expect(refusal(Array((hundred + "&G=1").utf8)) != nil)
    #expect(refusal(Array("\(String(repeating: "n", count: 64))=1".utf8)) == nil)
    #expect(refusal(Array("\(String(repeating: "n", count: 65))=1".utf8)) != nil)
  }

  @Test func `fields that are repeated or empty count too, and too many combining marks in a row are refused`() throws {
    for pair in ["A=", "A=1", "=", "A"] {
      #expect(refusal(Array(Array(repeating: pair, count: 100).joined(separator: "&").utf8)) == nil, "\(pair)")
      let more = refusal(Array(Array(repeating: pair, count: 101).joined(separator: "&").utf8))
      #expect(more?.text.contains("more than 100 fields") == true, "\(pair): \(more?.text ?? "taken")")
    }
    // Nothing stands between these.
    #expect(try form(String(repeating: "&", count: 1_000) + "A=1")["A"] == "1")
    let marks = String(repeating: "%CC%81", count: 30)
    #expect(try form("A=a\(marks)")["A"]?.unicodeScalars.count == 31)
    for body in ["A=a\(marks)%CC%81", "a\(marks)%CC%81=1"] { #expect(refusal(Array(body.utf8)) != nil, "\(body)") }
    let part = "--x\r\nContent-Disposition: form-data; name=\"A\"\r\n\r\na"
    let type = "multipart/form-data; boundary=x"
    #expect(refusal(Array("\(part)\(String(repeating: "\u{301}", count: 30))\r\n--x--".utf8), type) == nil)
    #expect(refusal(Array("\(part)\(String(repeating: "\u{301}", count: 31))\r\n--x--".utf8), type) != nil)
  }

  // MARK: Values

  @Test func `numbers, flags and lengths are checked`() throws {
    let form = try form("N=12&Z=-1&B=1001&X=1e3&P=%2B5&L=99999999999999999999&Y=Y&NO=n&W=yes&T=abcde")
    #expect(try form.number("N", in: 0...1000) == 12)
    #expect(try form.number("Z", in: -1...1000) == -1)
    #expect(try form.number("NONE", in: 0...1) == nil)
    for name in ["B", "X", "P", "L", "Y"] {
      #expect(throws: LegacyRefusal.self) { try form.number(name, in: -1...1000) }
    }
    #expect(try form.flag("Y") == true)
    #expect(try form.flag("NO") == false)
    #expect(throws: LegacyRefusal.self) { try form.flag("W") }
    #expect(try form.text("T", upTo: 5) == "abcde")
    #expect(throws: LegacyRefusal.self) { try form.text("T", upTo: 4) }
    #expect(throws: LegacyRefusal.self) { try form.required("NONE", upTo: 4) }
  }

  // MARK: Multipart

  private static let multipart = "multipart/form-data; boundary=----x1"

  private static func body(_ parts: String...) -> String {
    parts.map { "------x1\r\n\($0)\r\n" }.joined() + "------x1--\r\n"
  }

  @Test func `a multipart form brings fields and files`() throws {
    let form = try form(
      Self.body(
        "Content-Disposition: form-data; name=\"APP_ID\"\r\n\r\ncom.example.bank",
        "content-disposition: form-data; name=\"CNAME\"\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n김\r\n------x",
        "Content-Disposition: form-data; name=\"upload_file\"; filename=\"a;b.csv\"\r\nContent-Type: text/csv\r\n\r\nkim,Kim\r\n"
      ), Self.multipart)
    #expect(form["APP_ID"] == "com.example.bank")
    #expect(form["CNAME"] == "김\r\n------x")
    #expect(form.files["UPLOAD_FILE"] == Array("kim,Kim\r\n".utf8))
  }

  @Test func `a file and its name may be written as Korean Windows does, a field may not`() throws {
    let (customers, kim): ([UInt8], [UInt8]) = ([0xB0, 0xED, 0xB0, 0xB4], [0xB1, 0xE8])
    var body = Array("------x1\r\nContent-Disposition: form-data; name=\"upload_file\"; filename=\"".utf8)
    body += customers
    body += Array(".csv\"\r\nContent-Type: text/csv; charset=EUC-KR\r\n\r\nkim,".utf8)
    body += kim
    body += Array("\r\n------x1--\r\n".utf8)
    #expect(try Form(body, contentType: Self.multipart).files["UPLOAD_FILE"] == Array("kim,".utf8) + kim)
    var field = Array("------x1\r\nContent-Disposition: form-data; name=\"".utf8)
    field += customers
    field += Array("\"\r\n\r\n1\r\n------x1--\r\n".utf8)
    #expect(refusal(field, Self.multipart)?.code == .serverError)
  }

  @Test func `an empty multipart form has no fields`() throws {
    #expect(try form("------x1--", Self.multipart)["A"] == nil)
  }

  @Test func `quotes around the boundary are allowed`() throws {
    let body = Self.body("Content-Disposition: form-data; name=\"A\"\r\n\r\n1")
    #expect(try form(body, "multipart/form-data; boundary=\"----x1\"")["A"] == "1")
  }

  @Test(arguments: [
    "", "A=1", "------x1", "------x1\r\n", "------x1\r\nContent-Disposition: form-data; name=\"A\"\r\n\r\n1",
    "------x1\r\nContent-Disposition: form-data; name=\"A\"\r\n------x1--",
    "------x1\r\nContent-Disposition: form-data; name=\"\"\r\n\r\n1\r\n------x1--",
    "------x1\r\nContent-Disposition: form-data\r\n\r\n1\r\n------x1--",
    "------x1\r\nContent-Disposition: attachment; name=\"A\"\r\n\r\n1\r\n------x1--",
    "------x1\r\nContent-Type: text/plain\r\n\r\n1\r\n------x1--", "------x1\r\nnonsense\r\n\r\n1\r\n------x1--",
    "------x1garbage\r\n", "------x1\nContent-Disposition: form-data; name=\"A\"\n\n1\n------x1--",
    "------x1\r\nContent-Disposition: form-data; name=\"A\"; name=\"B\"\r\n\r\n1\r\n------x1--",
    "------x1\r\nContent-Disposition: form-data; name=\"A\"\r\nContent-Type: text/plain;charset=EUC-KR\r\n\r\n1\r\n------x1--",
  ])
  func `a broken multipart body is refused`(body: String) {
    #expect(refusal(Array(body.utf8), Self.multipart)?.code == .serverError)
  }

  @Test func `a part's header may not go on without end`() {
    let long = "X: " + String(repeating: "y", count: 5000)
    let body = Self.body("\(long)\r\nContent-Disposition: form-data; name=\"A\"\r\n\r\n1")
    #expect(refusal(Array(body.utf8), Self.multipart) != nil)
    let many = (0..<101).map { "------x1\r\nContent-Disposition: form-data; name=\"F\($0)\"\r\n\r\n1\r\n" }.joined()
    #expect(refusal(Array((many + "------x1--").utf8), Self.multipart) != nil)
  }

  @Test(arguments: [
    "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a\u{7}\"",
  ])
  func `a boundary is needed`(type: String) {
    #expect(refusal(Array("--\r\n".utf8), type) != nil)
  }

  @Test func `every cut of a good body is refused, not misread`() {
    let whole = Array(Self.body("Content-Disposition: form-data; name=\"A\"\r\n\r\n1").utf8)
    for count in 0..<(whole.count - 4) {
      #expect(refusal(Array(whole[..<count]), Self.multipart) != nil, "\(count) bytes")
    }
  }
}
