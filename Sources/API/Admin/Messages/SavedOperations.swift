internal import HTTPServer
internal import Operations
internal import Domain
internal import Store

/// Messages that are kept instead of sent.
extension Endpoint {
  static let saved: [Endpoint] =
    kept(
      .template, "Template",
      about: "A message without its audience, checked as a send would be. Name it in `template` of a send.",
      example: #""name":"Payday","message":{"alert":{"title":"Salary","body":"It is there."}}"#)
    + kept(
      .draft, "Draft", about: "Somebody's unfinished work: any JSON object of up to 64 KiB.",
      example: #""name":"Autumn","message":{"alert":"Leaves are falling","audience":{"all":true}}"#)
    + kept(
      .sender, "Sender", about: "A name that messages bear in `sender`, with what its messages have in common.",
      example: #""sender":"UMSUI","name":"Marketing","message":{"lane":"bulk","sms":true}"#)

  private static func kept(
    _ kind: SavedMessages.Kind, _ Word: String, about: String, example: String
  ) -> [Endpoint] {
    let word = kind.word
    let list = "/v1/admin/\(word)s"
    let one = "\(list)/{\(kind.idName)}"
    let item = """
      {"\(word)Id":"5","appId":"com.example.bank",\(example),"createdAt":"2026-11-21T09:30:00.123Z",\
      "updatedAt":"2026-11-21T09:30:00.123Z","updatedBy":"kim@example.com"}
      """
    return [
      Endpoint(
        .get, list, id: "list\(Word)s", in: .messages, "List \(word)s", "Those of an app, oldest first.",
        by: .permission(.viewContent), parameters: [.ofApp(), .limit, .pageCursor],
        answers: [Answer(200, "A page of \(word)s.", "\(Word)Page", example: Answer.page(item))],
        problems: [.invalidField, .unknownApp],
        handler: .whole { call in { () throws(Problem) in try call.saved(kind) } }),
      Endpoint(
        .post, list, id: "create\(Word)", in: .messages, "Keep a \(word)", about, by: .permission(.manageContent),
        body: Body(
          schema: "New\(Word)", examples: [(word, #"{"appId":"com.example.bank",\#(example)}"#)]),
        answers: [Answer(201, "It is kept.", Word, example: item)],
        problems: [.unknownApp, .impossible, .conflict],
        handler: .whole { call in { () throws(Problem) in try call.createSaved(kind) } }),
      Endpoint(
        .get, one, id: "show\(Word)", in: .messages, "Show a \(word)", "As it was kept last.",
        by: .permission(.viewContent), answers: [Answer(200, "The \(word).", Word, example: item)],
        problems: [.notFound], handler: .whole { call in { () throws(Problem) in try call.showSaved(kind) } }),
      Endpoint(
        .put, one, id: "replace\(Word)", in: .messages, "Replace a \(word)",
        "Messages that were accepted are not changed.", by: .permission(.manageContent),
        body: Body(schema: "\(Word)Change", examples: [(word, "{\(example.replacing("UMSUI", with: "UMS"))}")]),
        answers: [Answer(200, "As it is now.", Word, example: item)],
        problems: [.notFound, .impossible, .conflict],
        handler: .whole { call in { () throws(Problem) in try call.replaceSaved(kind) } }),
      Endpoint(
        .delete, one, id: "delete\(Word)", in: .messages, "Delete a \(word)",
        "Messages that were accepted are not changed.", by: .permission(.manageContent),
        answers: [Answer(204, "It is gone.")], problems: [.notFound],
        handler: .whole { call in { () throws(Problem) in try call.deleteSaved(kind) } }),
    ]
  }
}
