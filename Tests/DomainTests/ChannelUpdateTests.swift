import Testing

@testable import Domain

/// What is published on a channel.
@Suite struct ChannelUpdateTests {
  private func payload(_ json: String) throws -> String {
    String(decoding: try ChannelUpdate.object.read(body: Array(json.utf8)).payload(), as: UTF8.self)
  }

  @Test func `an update has the keys of a Live Activity and nothing of a message`() throws {
    #expect(
      try payload(
        #"{"liveActivity":{"event":"update","timestamp":9,"contentState":{"home":1},"staleDate":10},"relevanceScore":75,"alert":{"title":"Goal","body":"%CUID%"},"sound":"goal.caf"}"#
      )
        == #"{"aps":{"timestamp":9,"event":"update","content-state":{"home":1},"stale-date":10,"relevance-score":75,"alert":{"title":"Goal","body":"%CUID%","sound":"goal.caf"}}}"#
    )
    #expect(
      try payload(#"{"liveActivity":{"event":"end","timestamp":9,"dismissalDate":20}}"#)
        == #"{"aps":{"timestamp":9,"event":"end","dismissal-date":20}}"#)
  }

  @Test func `5,120 bytes fit and one more does not`() throws {
    func update(_ count: Int) -> String {
      #"{"liveActivity":{"event":"update","timestamp":1,"contentState":{"t":"\#(String(repeating: "x", count: count))"}}}"#
    }
    let empty = try payload(update(0)).utf8.count
    #expect(try payload(update(5120 - empty)).utf8.count == 5120)
    #expect(throws: Problem.self) { try payload(update(5121 - empty)) }
  }
}
