import Domain
import Operations
import TestSupport
import Testing

@testable import API

@Suite struct PlainReceiptsTests {
  private func read(_ text: String) -> [String]? {
    let body = Array(text.utf8)
    var texts: [String] = []
    let confirmations = PlainReceipts.read(body.span) { entry in
      texts.append(
        [entry.seqno, entry.psid, entry.pushkey, entry.at ?? 0..<0].map { String(decoding: body[$0], as: UTF8.self) }
          .joined(separator: "|"))
      return Operation.Confirmation(seqno: Seqno(1), psid: "", read: nil, isGenuine: true)
    }
    #expect(confirmations == nil || confirmations?.count == texts.count)
    return confirmations.map { _ in texts }
  }

  private let entry = #"{"seqno":"104","psid":"aa","pushkey":"bb"}"#

  @Test func `what the client libraries write is read in place`() {
    #expect(read(#"{"receipts":[\#(entry)]}"#) == ["104|aa|bb|"])
    #expect(
      read(#"{"receipts":[\#(entry),{"seqno":"105","psid":"c","pushkey":"","at":"2026-11-21T09:30:00Z"}]}"#)
        == ["104|aa|bb|", "105|c||2026-11-21T09:30:00Z"])
  }

  @Test func `up to as many as a call may confirm`() {
    func list(_ count: Int) -> String {
      #"{"receipts":["# + Array(repeating: entry, count: count).joined(separator: ",") + "]}"
    }
    #expect(read(list(100))?.count == 100)
    #expect(read(list(101)) == nil)
  }

  @Test(arguments: [
    "", "{", "[]", #"{"receipts":["#, #"{"receipts":[]}"#, #"{"reads":[{"seqno":"104","psid":"aa","pushkey":"bb"}]}"#,
    #"{"receipts":[{"seqno":"104","psid":"aa","pushkey":"bb"}]"#,
    #"{"receipts":[{"seqno":"104","psid":"aa","pushkey":"bb"}]} "#,
    #"{"receipts":[{"seqno":"104","psid":"aa","pushkey":"bb"},]}"#,
    #"{"receipts":[{"psid":"aa","seqno":"104","pushkey":"bb"}]}"#,
    #"{"receipts":[{"seqno": "104","psid":"aa","pushkey":"bb"}]}"#,
    #"{"receipts":[{"seqno":104,"psid":"aa","pushkey":"bb"}]}"#,
    #"{"receipts":[{"seqno":"104","psid":"a\u0061","pushkey":"bb"}]}"#,
    #"{"receipts":[{"seqno":"104","psid":"é","pushkey":"bb"}]}"#,
    #"{"receipts":[{"seqno":"104","psid":"aa","pushkey":"bb","at":null}]}"#,
    #"{"receipts":[{"seqno":"104","psid":"aa","pushkey":"bb","more":"x"}]}"#,
    #"{"receipts":[{"seqno":"104","psid":"aa"}]}"#, #"{"receipts":[{"seqno":"104","psid":"aa","#,
    "{\"receipts\":[{\"seqno\":\"104\",\"psid\":\"a\na\",\"pushkey\":\"bb\"}]}",
  ])
  func `anything else is left to the reader of JSON`(text: String) {
    #expect(read(text) == nil)
  }

  @Test func `one that must be read otherwise leaves all to the reader of JSON`() {
    let body = Array(#"{"receipts":[\#(entry),\#(entry)]}"#.utf8)
    var count = 0
    let confirmations = PlainReceipts.read(body.span) { _ in
      count += 1
      return count == 1 ? Operation.Confirmation(seqno: Seqno(1), psid: "", read: nil, isGenuine: true) : nil
    }
    #expect(confirmations == nil)
  }
}
