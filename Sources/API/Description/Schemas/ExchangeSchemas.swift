internal import JSON
internal import Domain

/// People in files.
extension Schemas {
  static let exchange: [JSONTree.Member] = [
    ("ImportPage", page(of: JSONSchema.reference("Import"))),
    (
      "Import",
      JSONSchema.object([
        .needed("importId", JSONSchema.sequence), .needed("appId", JSONSchema.appID), .needed("kind", kinds),
        .needed("groupSeq", JSONSchema.optional(JSONSchema.sequence), "Whose members."),
        .needed("skipErrors", JSONSchema.flag),
        .needed(
          "encoding", JSONSchema.optional(encodings), "What the file is written in; null until that is known."),
        .needed(
          "state", JSONSchema.words(["open", "finished", "refused"]),
          "`refused`: a line was wrong, so nobody was brought in."),
        .needed("parts", JSONSchema.count, "Taken so far."), .needed("lines", JSONSchema.count, "Read so far."),
        .needed("imported", JSONSchema.count, "Lines whose people were brought in."),
        .needed("rejected", JSONSchema.count, "Lines that were wrong."), .needed("createdAt", JSONSchema.moment),
        .needed("createdBy", JSONSchema.anyText), .needed("finishedAt", JSONSchema.optional(JSONSchema.moment)),
      ])
    ),
    (
      "NewImport",
      JSONSchema.object(
        isClosed: true,
        [
          .needed("appId", JSONSchema.appID), .needed("kind", kinds),
          .optional("groupSeq", JSONSchema.optional(JSONSchema.reference("GroupSeq")), "For members: of which group."),
          .optional("skipErrors", JSONSchema.flag, "True by default."),
          .optional(
            "encoding", encodings,
            "What the file is written in. Without it, what most lines are of the first part with letters beyond ASCII."),
        ])
    ),
    (
      "ImportErrorPage",
      page(
        of: JSONSchema.object([
          .needed("line", JSONSchema.count, "Counted from 1."),
          .needed("text", JSONSchema.anyText, "How the line begins."),
          .needed("error", JSONSchema.anyText),
        ]))
    ),
    ("PeopleFile", .object([("type", "string"), ("description", "Comma-separated lines (RFC 4180).")])),
  ]

  private static let kinds = JSONSchema.words(["users", "members", "devices"])
  static let encodings = JSONSchema.words(FileEncoding.allCases.map(\.name))
}
