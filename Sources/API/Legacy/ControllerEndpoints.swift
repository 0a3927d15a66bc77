internal import Domain
internal import HTTPServer
internal import JSON

/// Endpoints for the calls of the existing SDK's protocol.
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

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order: one form
  /// for each controller, and two kinds of answers.
  static let controllerSchemas: [JSONTree.Member] =
    Controller.all.map { ($0.schema, $0.form) } + [
      (
        "ControllerAnswer",
        envelope(JSONSchema.list(of: .object([("type", "object")])), "An array of at most one object.")
      ),
      ("SendControllerAnswer", envelope(.object([("type", "object")]), "An object.")),
    ]

  private static func envelope(_ body: JSONTree, _ about: String) -> JSONTree {
    JSONSchema.object([
      .required(
        "HEADER",
        JSONSchema.object([
          .required("RESULT_CODE", JSONSchema.anyText, "`0000`, or the reason."),
          .required("RESULT_BODY", JSONSchema.anyText),
          .required("SERVICE", JSONSchema.anyText, "The controller."),
        ])), .required("BODY", body, about),
    ])
  }
}
