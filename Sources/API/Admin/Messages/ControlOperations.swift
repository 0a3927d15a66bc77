internal import Operations
internal import Domain
internal import HTTPServer

/// A message on its way.
extension Endpoint {
  static let control: [Endpoint] = [
    change(
      "pause", "pauseMessage", "Pause a message",
      "Within a second nothing more of it goes out, on any node. Repeating the call changes nothing.",
      handler: .whole(AdminCall.pause)),
    change(
      "resume", "resumeMessage", "Let a paused message go on",
      "Also one that its canary has stopped: it goes on without the canary. Repeating the call changes nothing.",
      handler: .whole(AdminCall.resume)),
    change(
      "cancel", "cancelMessage", "Cancel a message",
      """
      What nobody has under way is cancelled; what may already have arrived is counted as `skipped`, never as \
      `cancelled`. The answer waits up to a second for the exact account. Repeating the call changes nothing.
      """, handler: .whole(AdminCall.cancel)),
    Endpoint(
      .patch, "/v1/admin/messages/{seqno}", id: "changePace", in: .control, "Change how fast a message goes out",
      "Null lifts the pace.", by: .permission(.control),
      body: Body(
        schema: "PaceChange",
        examples: [
          ("perSecond", #"{"pace":{"perSecond":300}}"#), ("portions", #"{"pace":{"devices":1000,"wait":"PT1M"}}"#),
          ("none", #"{"pace":null}"#),
        ]),
      answers: [Answer(200, "The numbers of this moment.", "Funnel", example: funnel)],
      problems: [.unknownMessage, .wrongState], handler: .whole(AdminCall.setPace)),
  ]

  private static func change(
    _ verb: String, _ id: String, _ summary: String, _ about: String, handler: Handler
  ) -> Endpoint {
    Endpoint(
      .post, "/v1/admin/messages/{seqno}/\(verb)", id: id, in: .control, summary, about,
      by: .permission(.control),
      answers: [Answer(200, "The numbers of this moment.", "Funnel", example: funnel)],
      problems: [.unknownMessage, .wrongState], handler: handler)
  }
}
