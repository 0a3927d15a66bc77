import Testing

@testable import Domain

@Suite struct FilledTextTests {
  @Test func `a variable without a value is left empty, as in the push`() {
    var content = MessageContent()
    content.variables = [1: "one"]
    let fill = FilledText(content, clientUID: "kim", clientName: "Kim", line: ["", "two"])
    #expect(fill("%VAR1% %VAR2% %VAR3%%CUID%") == "one two kim")
    content.fillsVariables = false
    #expect(FilledText(content, clientUID: "kim", clientName: "Kim")("%CUID%") == "%CUID%")
  }
}
