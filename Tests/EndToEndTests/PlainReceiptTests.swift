import Foundation
import Testing

/// Receipts in the client libraries' own form are read in place. White space leaves them to the reader of JSON, and the
/// responses are the same.
@Suite(.serialized) struct PlainReceiptTests {
  private static let token = World.token("a1")

  /// The deliveries of a campaign are located by their pushkey, those of a send to named users by their token.
  @Test(arguments: [#"{"all":true}"#, #"{"clientUids":["kim"]}"#])
  func `both readers give the same responses`(audience: String) throws {
    let world = try World()
    try world.register("d1", token: Self.token, user: "kim")
    let seqno = try world.send(audience)
    _ = try world.finished(seqno)
    let pushkey = try world.pushkey(seqno, Self.token)
    let genuine = (seqno, Self.token, pushkey, nil) as (String, String, String, String?)
    let cases: [[(String, String, String, String?)]] = [
      [genuine], [genuine, genuine], [(seqno, Self.token, pushkey, "2026-01-01T00:00:00Z")],
      [(seqno, Self.token.uppercased(), pushkey, nil)], [(seqno, Self.token, pushkey.uppercased(), nil)],
      [genuine, (seqno, World.token("b2"), pushkey, nil)], [(seqno, Self.token, "", nil)],
      [(seqno, Self.token, String(pushkey.dropLast()) + "g", nil)], [(seqno, "cXb:APA91bF_token", pushkey, nil)],
      [("0", Self.token, pushkey, nil)], [("0104", Self.token, pushkey, nil)], [("-1", Self.token, pushkey, nil)],
      [("1234567890123456789", Self.token, pushkey, nil)], [("999999", Self.token, pushkey, nil)],
      [(seqno, "", pushkey, nil)], [(seqno, String(repeating: "a", count: 513), pushkey, nil)],
      [(seqno, Self.token, pushkey, "yesterday")], [(seqno, Self.token, pushkey, "")], [],
    ]
    for receipts in cases {
      let entries = receipts.map { seqno, token, pushkey, at in
        #"{"seqno":"\#(seqno)","psid":"\#(token)","pushkey":"\#(pushkey)"\#(at.map { #","at":"\#($0)""# } ?? "")}"#
      }
      let list = entries.joined(separator: ",")
      let plain = try world.client.call("POST", "/v1/receipts", #"{"receipts":[\#(list)]}"#)
      let spaced = try world.client.call("POST", "/v1/receipts", #"{ "receipts":[\#(list)]}"#)
      #expect(plain.status == spaced.status)
      // Byte numbers of malformed text aside, of which there is none here.
      #expect(Self.comparable(plain.text) == Self.comparable(spaced.text), "\(list)")
    }
  }

  /// Without the request's id.
  private static func comparable(_ text: String) -> String {
    text.replacing(/"requestId":"[0-9a-f]{16}"/, with: "").replacing(/[0-9a-f]{16}(?=")/, with: "")
  }
}
