import Testing

/// How long the body of a device call may be, and that of a send.
@Suite(.serialized) struct DeviceBodyLimitTests {
  @Test func `a send may name ten thousand people, more than a device call may say`() throws {
    let world = try World()
    let names = (0..<10_000).map { "\"\(String(repeating: "n", count: 120))\($0)\"" }.joined(separator: ",")
    let seqno = try world.send(#"{"clientUids":[\#(names)]}"#)
    #expect(try world.finished(seqno).int("targeted") == 0)

    let tooLong = #"{"receipts":[],"filler":"\#(String(repeating: "x", count: 1_100_000))"}"#
    #expect(try world.client.call("POST", "/v1/receipts", tooLong).status == 413)
  }
}
