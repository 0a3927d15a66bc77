import JSON
import Testing

@testable import Domain

@Suite struct SequenceNumberTests {
  @Test(arguments: [("1", 1), ("104", 104), ("999999999999999999", 999_999_999_999_999_999)])
  func `a whole number from 1 is one`(text: String, expected: Int64) {
    #expect(SequenceNumber.parse(text) == expected)
  }

  @Test(arguments: ["", "0", "007", "-3", "+5", "1.0", "1e3", " 1", "1 ", "x", "१", "1000000000000000000"])
  func `anything else is none`(text: String) {
    #expect(SequenceNumber.parse(text) == nil)
  }

  @Test func `a group may stand in quotes or not, a message only in quotes`() throws {
    for json in ["12", "\"12\"", "12.0"] {
      var reader = JSONReader(Array(json.utf8))
      #expect(try reader.readGroupSeq() == 12)
    }
    var reader = JSONReader(Array("\"12\"".utf8))
    #expect(try reader.readSeqno() == Seqno(12))
    for json in ["12", "\"012\"", "null", "\"\""] {
      #expect(throws: JSONError.self) {
        var reader = JSONReader(Array(json.utf8))
        _ = try reader.readSeqno()
      }
    }
    for json in ["0", "-1", "\"0\"", "1.5", "null", "true"] {
      #expect(throws: JSONError.self) {
        var reader = JSONReader(Array(json.utf8))
        _ = try reader.readGroupSeq()
      }
    }
  }
}
