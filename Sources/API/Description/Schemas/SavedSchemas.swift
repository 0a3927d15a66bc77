internal import JSON
internal import Domain

/// Templates, drafts and senders.
extension Schemas {
  static let saved: [JSONTree.Member] =
    [("KeptMessage", JSONSchema.object("What a send says, whoever gets it.", isClosed: true, sayable))]
    + kept("template", "Template", "A send without `appId`, `audience` and `dryRun`.")
    + kept("draft", "Draft", "Any object.")
    + kept("sender", "Sender", "A part of a send, without `appId` and `audience`.")

  private static func told(_ word: String, _ message: JSONTree, _ about: String) -> [JSONSchema.Property] {
    [
      .needed("name", JSONSchema.text(upTo: Domain.Limits.nameBytes), "For lists."), .needed("message", message, about),
    ] + (word == "sender" ? [.needed("sender", JSONSchema.text(upTo: 64), "What its messages bear in `sender`.")] : [])
  }

  private static func kept(_ word: String, _ Word: String, _ about: String) -> [JSONTree.Member] {
    let anything = JSONTree.object([("type", "object")])
    let given = told(word, word == "draft" ? anything : JSONSchema.reference("KeptMessage"), about)
    let kept: [JSONSchema.Property] =
      [.needed("\(word)Id", JSONSchema.sequence), .needed("appId", JSONSchema.appID)] + told(word, anything, about) + [
        .needed("createdAt", JSONSchema.moment), .needed("updatedAt", JSONSchema.moment),
        .needed("updatedBy", JSONSchema.anyText, "The name of a key or account."),
      ]
    return [
      (Word, JSONSchema.object(kept)), ("\(Word)Page", page(of: JSONSchema.reference(Word))),
      ("New\(Word)", JSONSchema.object(isClosed: true, [.needed("appId", JSONSchema.appID)] + given)),
      ("\(Word)Change", JSONSchema.object(isClosed: true, given)),
    ]
  }
}
