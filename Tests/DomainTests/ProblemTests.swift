import Testing

@testable import Domain

@Suite struct ProblemTests {
  @Test func `a problem names its fields and the request`() {
    let problem = Problem(at: "/name", "must not be empty")
    #expect(
      String(decoding: problem.json(requestID: "abc"), as: UTF8.self)
        == #"{"type":"upmc:invalid-field","title":"A field is not valid","status":400,"#
        + #""detail":"/name must not be empty.","#
        + #""errors":[{"pointer":"/name","detail":"must not be empty"}],"requestId":"abc"}"#)
  }

  @Test func `every code has a status of an error and a name of ours`() {
    for code in Problem.Code.allCases {
      #expect((400...599).contains(code.status))
      #expect(code.rawValue.hasPrefix("upmc:"))
      #expect(!code.title.isEmpty)
    }
  }
}
