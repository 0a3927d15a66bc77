import TestSupport
import Testing

@testable import upmc_torture

@Suite struct `Verdict of a run` {
  @Test func `counts every violation and tells the first, with what was done before`() {
    let verdict = Verdict()
    verdict.note("kill -9 server 1")
    for number in 0..<Torture.Limits.tellings + 5 { verdict.violate("I3", "number \(number)") }
    verdict.violate("I5", "a badge")
    #expect(verdict.counts == ["I3": Torture.Limits.tellings + 5, "I5": 1])
    #expect(verdict.violations.count == Torture.Limits.tellings)
    #expect(verdict.violations.first?.evidence == "number 0")
    #expect(verdict.violations.first?.after.first?.hasSuffix("kill -9 server 1") == true)
  }

  @Test(arguments: [
    #"{"aps":{"badge":3,"alert":{}},"mps":{"seqno":"7","pushkey":"k"},"m":12}"#,
    #"{"m":12,"mps":{"pushkey":"k","seqno":"7","ext":"6|x"},"aps":{"badge":3},"x":[1,2]}"#,
  ])
  func `a payload says whose it is`(json: String) throws {
    let payload = try #require(Payload(Array(json.utf8)))
    #expect((payload.message, payload.seqno, payload.pushkey, payload.badge) == (12, 7, "k", 3))
  }

  @Test(arguments: [
    "", "{}", #"{"m":1,"mps":{"seqno":"x","pushkey":"k"}}"#, #"{"m":-1,"mps":{"seqno":"1","pushkey":"k"}}"#,
  ])
  func `a payload that lacks a part is none`(json: String) {
    #expect(Payload(Array(json.utf8)) == nil)
  }
}
