/// Statistics.
extension Schemas {
  static let statistics: [Node.Member] = [
    (
      "Statistics",
      Schema.object([
        .needed("from", Schema.moment), .needed("to", Schema.moment), .needed("by", Schema.anyText),
        .needed("per", Schema.anyText), .needed("total", Schema.object(counts), "All items together."),
        .needed(
          "items",
          Schema.list(
            of: Schema.object(
              [.needed("at", Schema.moment, "Where the minute, hour or day begins; days are the app's.")]
                + ["appId", "pnsId", "lane", "reason", "appVersion"].map {
                  .optional($0, Schema.optional(Schema.anyText), "When divided by it; null: not known, or none.")
                } + counts))),
      ])
    ),
    (
      "OverviewEvents",
      events(
        ["overview"], "Event after event.",
        Schema.object([
          .needed("minutes", Schema.reference("Statistics")),
          .needed("reasons", .object([("type", "object")]), "How many for which reason."),
          .needed("messages", Schema.reference("MessagePage")),
        ]))
    ),
  ]

  /// Whole numbers; one below 0 means that more was undone in this time than done.
  private static let counts: [Schema.Property] = [
    "accepted", "rejected", "expired", "cancelled", "skipped", "received", "read", "joined", "left",
  ].map { .needed($0, .object([("type", "integer")])) }
}
