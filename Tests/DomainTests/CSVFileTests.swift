import Testing

@testable import Domain

@Suite struct CSVFileTests {
  private struct Whole: Equatable {
    var lines: [CSVFile.Line] = []
    var faults: [CSVFile.Fault] = []
    var faultCount = 0
    var duplicates = 0
  }

  /// Reads parts of so many bytes.
  private func read(_ bytes: [UInt8], inPartsOf size: Int = .max) throws -> Whole {
    var file = CSVFile()
    var whole = Whole()
    var offset = 0
    repeat {
      let end = offset + min(size, bytes.count - offset)
      whole.lines += try file.read(Array(bytes[offset..<end]), isLast: end == bytes.count)
      offset = end
    } while offset < bytes.count
    #expect(whole.lines.count == file.lineCount)
    (whole.faults, whole.faultCount, whole.duplicates) = (file.faults, file.faultCount, file.duplicates)
    return whole
  }

  private func read(_ text: String) throws -> Whole { try read(Array(text.utf8)) }

  private func line(_ user: String, _ name: String, _ variables: String...) -> CSVFile.Line {
    CSVFile.Line(user: UserKey(clientUID: user), name: name, variables: variables)
  }

  @Test func `too many combining marks in a row are a fault of their line`() throws {
    let marks = String(repeating: "\u{301}", count: 30)
    let file = try read("a\(marks),x\nb\(marks)\u{316},x\nlee,Lee\n")
    #expect(file.lines == [line("a\(marks)", "x"), line("lee", "Lee")])
    #expect(file.faults == [CSVFile.Fault(line: 2, reason: "has more than 30 combining marks in a row")])
  }

  @Test func `without a header the columns are the user, the name, and the variables`() throws {
    let file = try read("kim,Kim,10,20\r\nlee\nchoi,,\"3,4\"\rpark,\"Pa\"\"rk\",,x\n\n")
    #expect(
      file.lines == [
        line("kim", "Kim", "10", "20"), line("lee", ""), line("choi", "", "3,4"), line("park", "Pa\"rk", "", "x"),
      ])
    #expect(file.faultCount == 0 && file.duplicates == 0)
  }

  @Test func `a header says which columns there are`() throws {
    let file = try read("\u{FEFF}CUID, var2 ,CNAME\nkim,b,Kim\nlee\n")
    #expect(file.lines == [line("kim", "Kim", "", "b"), line("lee", "")])
    for header in ["CUID,AGE", "CUID,NAME,CNAME", "CUID,VAR10", "CUID,VAR0"] {
      #expect(throws: Problem.self, "\(header)") { try read("\(header)\nkim,1,2\n") }
    }
  }

  @Test func `a line break within quotes belongs to the field, and lines are counted as editors count`() throws {
    let file = try read("kim,\"two\nlines\"\n,no user\nlee\n")
    #expect(file.lines == [line("kim", "two\nlines"), line("lee", "")])
    #expect(file.faults == [CSVFile.Fault(line: 3, reason: "needs a CUID of 1 to 256 bytes")])
  }

  @Test func `users and names as exports write them are meant, and variables stay as they are`() throws {
    let file = try read("CUID,NAME,VAR1\n\"'+8210\",'=Kim,'-5\n+8210,Kim\n'lee,'Lee\n")
    #expect(file.lines == [line("+8210", "=Kim", "'-5"), line("'lee", "'Lee")])
    #expect(file.duplicates == 1)
  }

  @Test func `the first line of a user counts`() throws {
    let file = try read("kim,A\nlee,B\nkim,C\n")
    #expect(file.lines == [line("kim", "A"), line("lee", "B")])
    #expect(file.duplicates == 1)
  }

  @Test(arguments: [
    ("GUEST,x", "names GUEST, which is nobody"), ("a,b,1,2,3,4,5,6,7,8,9,10", "has 12 fields; there may be 11"),
    ("a,\"b\"c", "has text behind a closing quote"), ("a,\"b", "has a quote that is never closed"),
    (String(repeating: "x", count: 257), "needs a CUID of 1 to 256 bytes"),
    ("a,b\u{0}", "holds U+0000, which cannot be stored"),
  ])
  func `a wrong line is told with its reason`(text: String, reason: String) throws {
    let file = try read("good\n\(text)")
    #expect(file.lines == [line("good", "")])
    #expect(file.faults == [CSVFile.Fault(line: 2, reason: Sentence(verbatim: reason))])
  }

  @Test func `of many faults the first hundred are kept, and all are counted`() throws {
    let file = try read(String(repeating: ",x\n", count: 150))
    #expect(file.faults.count == 100 && file.faultCount == 150)
  }

  @Test func `a quote that is never closed is told, and what stands behind its line is read`() throws {
    let long = "kim\nlee,\"x\n" + String(repeating: "x\n", count: 40_000) + "choi\n"
    let file = try read(Array(long.utf8), inPartsOf: 4_096)
    #expect(file.lines == [line("kim", ""), line("x", ""), line("choi", "")])
    #expect(file.faultCount == 1 && file.faults.first?.line == 2, "\(file.faults)")
    #expect(file.faults.first?.reason.english.contains("not closed") == true)
  }

  @Test func `a header may use the names of the API`() throws {
    let file = try read("clientUid,Client Name,var 1\nkim,Kim,a\n")
    #expect(file.lines == [line("kim", "Kim", "a")])
  }

  @Test func `it makes no difference how a file is cut`() throws {
    let text = "\u{FEFF}CUID,NAME,VAR1\r\nkim,\"K\"\"i\nm\",1\r\nlee,리,2\rGUEST\n\nkim,again\npark,\"x\"y\nchoi,\"open"
    let whole = try read(text)
    #expect(whole.lines.count == 2 && whole.faultCount == 3 && whole.duplicates == 1)
    for size in 1...text.utf8.count {
      #expect(try read(Array(text.utf8), inPartsOf: size) == whole, "parts of \(size)")
    }
  }

  @Test func `any bytes can be read, cut anywhere`() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let alphabet = Array("a,\"\n\r ".utf8)
      let bytes = (0..<60).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
      let file = try read(bytes)
      #expect(Set(file.lines.map(\.user)).count == file.lines.count)
      #expect(try read(bytes, inPartsOf: Int.random(in: 1...20, using: &random)) == file, "\(bytes)")
    }
  }
}
