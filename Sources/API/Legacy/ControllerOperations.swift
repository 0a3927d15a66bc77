internal import Domain
internal import HTTPServer

/// The existing SDK's protocol.
extension Endpoint {
  static let controllers: [Endpoint] = Controller.all.map { call in
    Endpoint(
      .post, "/upmc/\(call.name).ctl", id: call.name, in: .sdk, call.summary, call.about, by: .open,
      body: Body(schema: call.schema, examples: [], type: "application/x-www-form-urlencoded"),
      answers: [
        Answer(
          200, "The envelope, whatever the code.", call.isForServers ? "SendControllerAnswer" : "ControllerAnswer",
          example:
            #"{"HEADER":{"RESULT_CODE":"0000","RESULT_BODY":"OK","SERVICE":"\#(call.name).ctl"},"BODY":\#(call.body)}"#)
      ], handler: .controller(call))
  }
}
