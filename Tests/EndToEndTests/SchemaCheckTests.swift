import JSON
import Testing

@testable import API

/// The checker that holds answers against the document finds what it is there to find.
@Suite struct SchemaCheckTests {
  private static let check = SchemaCheck(document: Document.make())

  @Test(arguments: [
    ("Badge", #"{"badge":7}"#), ("Accepted", #"{"seqno":"1","state":"queued","targeted":null,"unknown":[]}"#),
    ("Audience", #"{"groups":[1,"2"]}"#), ("Reads", #"{"reads":[{"seqno":"1","psid":"a","pushkey":""}]}"#),
  ])
  func `what is as documented passes`(schema: String, json: String) {
    #expect(Self.check.faults(.json(json), JSONSchema.reference(schema)) == [])
  }

  @Test(arguments: [
    ("Badge", #"{"badge":1001}"#), ("Badge", #"{"badge":-1}"#), ("Badge", #"{"badge":"7"}"#), ("Badge", "{}"),
    ("Badge", "[]"),
    ("Badge", #"{"badge":7,"more":1}"#), ("BadgeChange", #"{"badge":0}"#), ("BadgeChange", #"{"badge":1,"x":1}"#),
    ("Accepted", #"{"seqno":"0","state":"queued","targeted":1,"unknown":[]}"#),
    ("Accepted", #"{"seqno":"1","state":"gone","targeted":1,"unknown":[]}"#),
    ("Accepted", #"{"seqno":"1","state":"queued","targeted":1,"unknown":[1]}"#),
    ("Accepted", #"{"seqno":"1","state":"queued","targeted":1,"unknown":[],"sendAt":"tomorrow"}"#),
    ("Audience", #"{"all":true,"groups":[1]}"#), ("Audience", #"{"all":false}"#), ("Audience", #"{"clientUids":[]}"#),
    ("Registration", #"{"appId":"a","psid":"00","deviceId":"d","clientName":"n"}"#),
    ("Registration", #"{"appId":"a","psid":"000","deviceId":"d"}"#),
    ("Problem", #"{"type":"about:blank","title":"","status":400,"detail":"","requestId":"0000000000000000"}"#),
  ])
  func `what is not as documented is found`(schema: String, json: String) {
    #expect(Self.check.faults(.json(json), JSONSchema.reference(schema)) != [])
  }
}
