/// Forms and answers of the existing SDK's protocol.
extension Schemas {
  static let controllers: [Node.Member] =
    Controller.all.map { ($0.schema, $0.form) } + [
      ("ControllerAnswer", answer(Schema.list(of: .object([("type", "object")])), "An array of at most one object.")),
      ("SendControllerAnswer", answer(.object([("type", "object")]), "An object.")),
    ]

  private static func answer(_ body: Node, _ about: String) -> Node {
    Schema.object([
      .needed(
        "HEADER",
        Schema.object([
          .needed("RESULT_CODE", Schema.anyText, "`0000`, or why not."), .needed("RESULT_BODY", Schema.anyText),
          .needed("SERVICE", Schema.anyText, "The controller."),
        ])), .needed("BODY", body, about),
    ])
  }
}
