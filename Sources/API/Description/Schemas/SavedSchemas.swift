internal import Domain

/// Templates, drafts and senders.
extension Schemas {
  static let saved: [Node.Member] =
    [("KeptMessage", Schema.object("What a send says, whoever gets it.", isClosed: true, sayable))]
    + kept("template", "Template", "A send without `appId`, `audience` and `dryRun`.")
    + kept("draft", "Draft", "Any object.")
    + kept("sender", "Sender", "A part of a send, without `appId` and `audience`.")

  private static func told(_ word: String, _ message: Node, _ about: String) -> [Schema.Property] {
    [
      .needed("name", Schema.text(upTo: Domain.Limits.nameBytes), "For lists."), .needed("message", message, about),
    ] + (word == "sender" ? [.needed("sender", Schema.text(upTo: 64), "What its messages bear in `sender`.")] : [])
  }

  private static func kept(_ word: String, _ Word: String, _ about: String) -> [Node.Member] {
    let anything = Node.object([("type", "object")])
    let given = told(word, word == "draft" ? anything : Schema.reference("KeptMessage"), about)
    let kept: [Schema.Property] =
      [.needed("\(word)Id", Schema.sequence), .needed("appId", Schema.appID)] + told(word, anything, about) + [
        .needed("createdAt", Schema.moment), .needed("updatedAt", Schema.moment),
        .needed("updatedBy", Schema.anyText, "The name of a key or account."),
      ]
    return [
      (Word, Schema.object(kept)), ("\(Word)Page", page(of: Schema.reference(Word))),
      ("New\(Word)", Schema.object(isClosed: true, [.needed("appId", Schema.appID)] + given)),
      ("\(Word)Change", Schema.object(isClosed: true, given)),
    ]
  }
}
