internal import JSON

/// Statistics.
extension Schemas {
  static let statistics: [JSONTree.Member] = [
    (
      "Statistics",
      JSONSchema.object([
        .needed("from", JSONSchema.moment), .needed("to", JSONSchema.moment), .needed("by", JSONSchema.anyText),
        .needed("per", JSONSchema.anyText), .needed("total", JSONSchema.object(counts), "All items together."),
        .needed(
          "items",
          JSONSchema.list(
            of: JSONSchema.object(
              [.needed("at", JSONSchema.moment, "Where the minute, hour or day begins; days are the app's.")]
                + ["appId", "pnsId", "lane", "reason", "appVersion"].map {
                  .optional(
                    $0, JSONSchema.optional(JSONSchema.anyText), "When divided by it; null: not known, or none.")
                } + counts))),
      ])
    ),
    (
      "OverviewEvents",
      events(
        ["overview"], "Event after event.",
        JSONSchema.object([
          .needed("minutes", JSONSchema.reference("Statistics")),
          .needed("reasons", .object([("type", "object")]), "How many for which reason."),
          .needed("messages", JSONSchema.reference("MessagePage")),
        ]))
    ),
  ]

  /// Whole numbers; one below 0 means that more was undone in this time than done.
  private static let counts: [JSONSchema.Property] = [
    "accepted", "rejected", "expired", "cancelled", "skipped", "received", "read", "joined", "left",
  ].map { .needed($0, .object([("type", "integer")])) }
}
