internal import Domain
internal import HTTPServer
internal import Operations

/// Receipts and reads.
extension Endpoint {
  static let confirmations: [Endpoint] = [
    Endpoint(
      .post, "/v1/receipts", id: "confirmReceipts", in: .confirmations, "Confirm that messages arrived",
      """
      One or up to 100, in any order, as often as you like: the app and its Notification Service Extension may both do it. \
      Each entry has its own result; a wrong one does not hold up the others. One that comes when the history of its message \
      is not kept any more is answered `unknown-message`: do not send it again.
      """, by: .open,
      body: Body(
        schema: "Receipts",
        examples: [
          (
            "one",
            """
            {"receipts":[{"seqno":"104","psid":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",\
            "pushkey":"2a4dc34b21e6f075f9de2d1403bea7ff8144f810","at":"2026-11-21T09:30:00Z"}]}
            """
          )
        ], bytes: Operations.Limits.confirmationBytes),
      answers: [
        Answer(
          200, "What became of each, in order.", "ReceiptResults",
          example: #"{"results":[{"seqno":"104","status":"recorded"}]}"#)
      ], handler: .device(DeviceDoor.receive)),
    Endpoint(
      .post, "/v1/reads", id: "confirmReads", in: .confirmations, "Confirm that messages were read",
      """
      A read implies its receipt, and moves the badge count in the same commit: `keep` (the default) takes one off, \
      `reset` makes it 0, `update` and `force` set it to `badge`. All but `force` act once per user and message.
      """, by: .open,
      body: Body(
        schema: "Reads",
        examples: [
          (
            "keep",
            """
            {"reads":[{"seqno":"104","psid":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",\
            "pushkey":"2a4dc34b21e6f075f9de2d1403bea7ff8144f810"}]}
            """
          ),
          (
            "update",
            """
            {"reads":[{"seqno":"104","psid":"00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0",\
            "pushkey":"2a4dc34b21e6f075f9de2d1403bea7ff8144f810","badgeOption":"update","badge":5}]}
            """
          ),
        ], bytes: Operations.Limits.confirmationBytes),
      answers: [
        Answer(
          200, "What became of each, in order.", "ReadResults",
          example: #"{"results":[{"seqno":"104","status":"recorded","badge":2}]}"#)
      ], problems: [.badgeOutOfRange], handler: .device(DeviceDoor.read)),
  ]
}
