import Postgres
import Foundation
import Postgres
import TestSupport
import Testing

/// What devices and operators meet when the history of a message is not kept any more.
@Suite struct KeptHistoryTests {
  @Test
  func `a receipt, a read and an SDK's call for a message whose partitions are gone are answered, and sends go on`()
    throws
  {
    let world = try World()
    let token = World.token("a1")
    try world.register("d1", token: token, user: "kim")
    let seqno = try world.send(#"{"clientUids":["kim"]}"#, #","badge":{"increment":3}"#)
    _ = try world.finished(seqno)
    // A year passes: the janitor drops it, and the next message is in another range.
    try world.connection.insist(
      on: """
        SELECT setval('messages_seqno_seq', 1000000);
        SELECT add_seqno_range(1000000) FROM generate_series(1, 2) WHERE
          (SELECT max(upto_seqno) FROM seqno_ranges) < 3000000;
        UPDATE seqno_ranges SET closed_at = now() - interval '2 minutes' WHERE from_seqno = 1
        """)
    let gone = try poll("the janitor did not drop it") {
      try world.count("SELECT count(*) FROM seqno_ranges WHERE dropped_at IS NOT NULL") == 1 ? true : nil
    }
    #expect(gone)
    let receipt = try world.receipt(seqno, token)
    #expect(receipt.status == 200 && receipt.text.contains(#""status":"unknown-message""#), "\(receipt.text)")
    let read = try world.read(seqno, token, #","badgeOption":"reset""#)
    #expect(read.status == 200 && read.text.contains(#""status":"unknown-message""#), "\(read.text)")
    let sdk = SDKClient(port: world.port, appID: World.appID, psid: token, deviceID: "d1")
    let bare = ["SEQNO": seqno, "pushkey": try world.pushkey(seqno, token)]
    #expect(try sdk.send("rcv_register_sent_ack.ctl", bare.merging(["PSID": token]) { $1 }).isOK)
    #expect(try world.funnel(seqno).int("accepted") == 1 && world.funnel(seqno).int("received") == 0)
    for path in ["deliveries", "failures", "users/kim/explain"] {
      let reply = try world.client.call("GET", "/v1/admin/messages/\(seqno)/\(path)", bearer: world.apiKey)
      #expect(reply.status == 404 && reply.text.contains("upmc:not-kept"), "\(path): \(reply.text)")
    }
    let again = try world.client.call(
      "POST", "/v1/admin/messages/\(seqno)/resend", bearer: world.apiKey, #"{"to":"not-read"}"#)
    #expect(again.status == 404 && again.text.contains("upmc:not-kept"), "\(again.text)")
    // Nothing of it has changed the count, which goes on with the next message.
    let next = try world.send(#"{"clientUids":["kim"]}"#, #","badge":{"increment":1}"#)
    #expect(try world.finished(next).int("accepted") == 1)
    #expect(try world.badges(token) == [3, 4])
    #expect(try world.receipt(next, token).text.contains(#""status":"recorded""#))
  }
}
