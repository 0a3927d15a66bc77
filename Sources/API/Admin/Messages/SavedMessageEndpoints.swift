internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// Endpoints for templates, drafts and senders: messages that are saved, not sent.
extension Endpoint {
  static let saved: [Endpoint] =
    kept(
      .template,
      about: "A message without its audience, checked as a send would be. Name it in `template` of a send.",
      example: #""name":"Payday","message":{"alert":{"title":"Salary","body":"It is there."}}"#)
    + kept(
      .draft, about: "Somebody's unfinished work: any JSON object of up to 64 KiB.",
      example: #""name":"Autumn","message":{"alert":"Leaves are falling","audience":{"all":true}}"#)
    + kept(
      .sender, about: "A name that messages bear in `sender`, with what its messages have in common.",
      example: #""sender":"UMSUI","name":"Marketing","message":{"lane":"bulk","sms":true}"#)

  private static func kept(
    _ kind: SavedMessages.Kind, about: String, example: String
  ) -> [Endpoint] {
    let (word, noun) = (kind.word, kind.noun)
    let entry = SavedMessageService.Entry.object(of: kind)
    let list = "/v1/admin/\(word)s"
    let one = "\(list)/{\(kind.idName)}"
    let item = """
      {"\(word)Id":"5","appId":"com.example.bank",\(example),"createdAt":"2026-11-21T09:30:00.123Z",\
      "updatedAt":"2026-11-21T09:30:00.123Z","updatedBy":"kim@example.com"}
      """
    return [
      Endpoint(
        .get, list, id: "list\(noun)s", in: .messages, "List \(word)s", "Those of an app, oldest first.",
        by: .permission(.viewContent), parameters: [.ofApp(), .limit, .cursor],
        answers: [
          Answer(
            200, "A page of \(word)s.", ItemPage<SavedMessageService.Entry>.object(of: entry),
            example: Answer.page(item))
        ],
        problems: [.invalidField, .unknownApp],
        handler: .whole { call in { () throws(Problem) in try call.saved(kind) } }),
      Endpoint(
        .post, list, id: "create\(noun)", in: .messages, "Keep a \(word)", about, by: .permission(.manageContent),
        body: Body(
          SavedMessageService.New.object(of: kind), examples: [(word, #"{"appId":"com.example.bank",\#(example)}"#)]),
        answers: [Answer(201, "It is kept.", entry, example: item)],
        problems: [.unknownApp, .impossible, .conflict],
        handler: .whole { call in { () throws(Problem) in try call.createSaved(kind) } }),
      Endpoint(
        .get, one, id: "show\(noun)", in: .messages, "Show a \(word)", "As it was kept last.",
        by: .permission(.viewContent), answers: [Answer(200, "The \(word).", entry, example: item)],
        problems: [.notFound], handler: .whole { call in { () throws(Problem) in try call.showSaved(kind) } }),
      Endpoint(
        .put, one, id: "replace\(noun)", in: .messages, "Replace a \(word)",
        "Messages that were accepted are not changed.", by: .permission(.manageContent),
        body: Body(
          SavedMessageService.New.change(of: kind), examples: [(word, "{\(example.replacing("UMSUI", with: "UMS"))}")]),
        answers: [Answer(200, "As it is now.", entry, example: item)],
        problems: [.notFound, .impossible, .conflict],
        handler: .whole { call in { () throws(Problem) in try call.replaceSaved(kind) } }),
      Endpoint(
        .delete, one, id: "delete\(noun)", in: .messages, "Delete a \(word)",
        "Messages that were accepted are not changed.", by: .permission(.manageContent),
        answers: [Answer(204, "It is gone.")], problems: [.notFound],
        handler: .whole { call in { () throws(Problem) in try call.deleteSaved(kind) } }),
    ]
  }

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let savedSchemas: [JSONTree.Member] = SavedMessages.Kind.allCases.flatMap { kind in
    let entry = SavedMessageService.Entry.object(of: kind)
    return [
      entry.named, ItemPage.object(of: entry).named, SavedMessageService.New.object(of: kind).named,
      SavedMessageService.New.change(of: kind).named,
    ]
  }
}

extension AdminCall {
  fileprivate func saved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    .json(.ok, try SavedMessageService.list(kind, of: try required("appId"), try page(), by: caller, on: connection))
  }

  fileprivate func showSaved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    .json(.ok, try SavedMessageService.show(try savedNumber(kind), kind, by: caller, on: connection))
  }

  fileprivate func createSaved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    let new = try body(SavedMessageService.New.object(of: kind))
    return .json(.created, try SavedMessageService.create(new, kind, of: new.appID, by: caller, on: connection))
  }

  fileprivate func replaceSaved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    let new = try body(SavedMessageService.New.change(of: kind))
    return .json(
      .ok, try SavedMessageService.replace(try savedNumber(kind), kind, with: new, by: caller, on: connection))
  }

  fileprivate func deleteSaved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    try SavedMessageService.delete(try savedNumber(kind), kind, by: caller, on: connection)
    return .done
  }

  private func savedNumber(_ kind: SavedMessages.Kind) throws(Problem) -> SavedMessages.Number {
    guard let number = Int64(parameters[kind.idName]) else {
      throw Problem(.notFound, "A \(Sentence(word: kind.word))'s id is a whole number, as lists show it.")
    }
    return number
  }
}
