import Domain
import Testing

@testable import Operations

@Suite struct CSVWriterTests {
  @Test func `what a spreadsheet would run is written as text, and read back`() {
    for cell in [
      "=1+1", "+82 2", "-1", "@x", "\ttab", "\n=1+1", "＝1+1", "＋1", "－1", "＠x", "plain", "'quoted", "a,b", "a\"b", "",
    ] {
      var writer = CSVWriter()
      writer.row([cell, "end"])
      let written = CSVReader(writer.bytes, passed: 0, isLast: true).lines
      guard case .fields(let fields)? = written.first?.record else {
        Issue.record("\(cell) was not written as a line")
        continue
      }
      #expect(fields.map(CSVFormula.read) == [cell, "end"])
      #expect(!CSVFormula.isFormula(fields[0]))
    }
  }
}
