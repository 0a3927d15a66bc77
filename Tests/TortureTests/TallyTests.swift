import Testing

@testable import upmc_torture

@Suite struct `Numbers of a message` {
  private func tally(
    _ state: String, _ targeted: String, _ pending: String, accepted: Int, rejected: Int = 0
  ) throws -> Tally {
    let text = """
      {"state":"\(state)","targeted":\(targeted),"pending":\(pending),"accepted":\(accepted),"rejected":\(rejected),\
      "expired":0,"cancelled":0,"skipped":0,"unknown":0,"resent":0}
      """
    return try #require(Tally(Reply(status: 200, text: text)))
  }

  @Test func `what adds up passes`() throws {
    #expect(try tally("sending", "10", "4", accepted: 5, rejected: 1).objection == nil)
    #expect(try tally("completed", "6", "0", accepted: 6).objection == nil)
    #expect(try tally("queued", "null", "null", accepted: 0).objection == nil)
  }

  @Test func `what does not add up is found`() throws {
    #expect(try tally("sending", "10", "4", accepted: 5).objection != nil)
    #expect(try tally("sending", "10", "-1", accepted: 11).objection != nil)
    #expect(try tally("completed", "10", "4", accepted: 6).objection != nil)
    #expect(try tally("queued", "null", "null", accepted: 1).objection != nil)
  }

  @Test func `an answer without numbers is none`() {
    #expect(Tally(Reply(status: 200, text: "{}")) == nil)
    #expect(Tally(Reply(status: 404, text: "")) == nil)
  }

  @Test func `only what came more often than once is repeated`() {
    let message = Message(number: 1, kind: .campaign, body: "", askedAt: 0)
    #expect(message.receive(3, at: 1) == 1)
    #expect(message.receive(4, at: 2) == 1)
    #expect(message.receive(3, at: 5) == 2)
    #expect(message.repeated == 1)
    #expect(message.repeats.map(\.first) == [1] && message.repeats.map(\.second) == [5])
  }
}
