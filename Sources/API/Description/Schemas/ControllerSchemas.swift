internal import JSON

/// Forms and answers of the existing SDK's protocol.
extension Schemas {
  static let controllers: [JSONTree.Member] =
    Controller.all.map { ($0.schema, $0.form) } + [
      (
        "ControllerAnswer",
        answer(JSONSchema.list(of: .object([("type", "object")])), "An array of at most one object.")
      ),
      ("SendControllerAnswer", answer(.object([("type", "object")]), "An object.")),
    ]

  private static func answer(_ body: JSONTree, _ about: String) -> JSONTree {
    JSONSchema.object([
      .needed(
        "HEADER",
        JSONSchema.object([
          .needed("RESULT_CODE", JSONSchema.anyText, "`0000`, or why not."), .needed("RESULT_BODY", JSONSchema.anyText),
          .needed("SERVICE", JSONSchema.anyText, "The controller."),
        ])), .needed("BODY", body, about),
    ])
  }
}
