internal import Domain

/// People in files.
extension Schemas {
  static let exchange: [Node.Member] = [
    ("ImportPage", page(of: Schema.reference("Import"))),
    (
      "Import",
      Schema.object([
        .needed("importId", Schema.sequence), .needed("appId", Schema.appID), .needed("kind", kinds),
        .needed("groupSeq", Schema.optional(Schema.sequence), "Whose members."), .needed("skipErrors", Schema.flag),
        .needed(
          "encoding", Schema.optional(encodings), "What the file is written in; null until that is known."),
        .needed(
          "state", Schema.words(["open", "finished", "refused"]),
          "`refused`: a line was wrong, so nobody was brought in."),
        .needed("parts", Schema.count, "Taken so far."), .needed("lines", Schema.count, "Read so far."),
        .needed("imported", Schema.count, "Lines whose people were brought in."),
        .needed("rejected", Schema.count, "Lines that were wrong."), .needed("createdAt", Schema.moment),
        .needed("createdBy", Schema.anyText), .needed("finishedAt", Schema.optional(Schema.moment)),
      ])
    ),
    (
      "NewImport",
      Schema.object(
        isClosed: true,
        [
          .needed("appId", Schema.appID), .needed("kind", kinds),
          .optional("groupSeq", Schema.optional(Schema.reference("GroupSeq")), "For members: of which group."),
          .optional("skipErrors", Schema.flag, "True by default."),
          .optional(
            "encoding", encodings,
            "What the file is written in. Without it, what most lines are of the first part with letters beyond ASCII."),
        ])
    ),
    (
      "ImportErrorPage",
      page(
        of: Schema.object([
          .needed("line", Schema.count, "Counted from 1."), .needed("text", Schema.anyText, "How the line begins."),
          .needed("error", Schema.anyText),
        ]))
    ),
    ("PeopleFile", .object([("type", "string"), ("description", "Comma-separated lines (RFC 4180).")])),
  ]

  private static let kinds = Schema.words(["users", "members", "devices"])
  static let encodings = Schema.words(FileEncoding.allCases.map(\.name))
}
