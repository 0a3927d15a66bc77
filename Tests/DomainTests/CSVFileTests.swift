import Testing

@testable import Domain

@Suite struct CSVFileTests {
  private func read(_ text: String) throws -> CSVFile { try CSVFile(Array(text.utf8)) }

  private func line(_ user: String, _ name: String, _ variables: String...) -> CSVFile.Line {
    CSVFile.Line(user: UserKey(clientUID: user), name: name, variables: variables)
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

  @Test func `the first line of a user counts`() throws {
    let file = try read("kim,A\nlee,B\nkim,C\n")
    #expect(file.lines == [line("kim", "A"), line("lee", "B")])
    #expect(file.duplicates == 1)
  }

  @Test(arguments: [
    ("GUEST,x", "names GUEST, which is nobody"), ("a,b,1,2,3,4,5,6,7,8,9,10", "has 12 fields; there may be 11"),
    ("a,\"b\"c", "has text behind a closing quote"), ("a,\"b", "has a quote that is never closed"),
    (String(repeating: "x", count: 257), "needs a CUID of 1 to 256 bytes"), ("a,b\u{0}", "holds U+0000"),
  ])
  func `a wrong line is told with its reason`(text: String, reason: String) throws {
    let file = try read("good\n\(text)")
    #expect(file.lines == [line("good", "")])
    #expect(file.faults == [CSVFile.Fault(line: 2, reason: reason)])
  }

  @Test func `of many faults the first hundred are kept, and all are counted`() throws {
    let file = try read(String(repeating: ",x\n", count: 150))
    #expect(file.faults.count == 100 && file.faultCount == 150)
  }

  @Test func `any bytes can be read`() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<200 {
      let alphabet = Array("a,\"\n\r ".utf8)
      let bytes = (0..<60).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
      let file = try CSVFile(bytes)
      #expect(Set(file.lines.map(\.user)).count == file.lines.count)
    }
  }
}
