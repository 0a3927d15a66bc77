internal import HTTPServer
internal import Operations
internal import Domain

/// Messages that are kept instead of sent.
extension APIOperation {
  static let saved: [APIOperation] =
    kept(
      "template", "Template",
      about: "A message without its audience, checked as a send would be. Name it in `template` of a send.",
      example: #""name":"Payday","message":{"alert":{"title":"Salary","body":"It is there."}}"#)
    + kept(
      "draft", "Draft", about: "Somebody's unfinished work: any JSON object of up to 64 KiB.",
      example: #""name":"Autumn","message":{"alert":"Leaves are falling","audience":{"all":true}}"#)
    + kept(
      "sender", "Sender", about: "A name that messages bear in `sender`, with what its messages have in common.",
      example: #""sender":"UMSUI","name":"Marketing","message":{"lane":"bulk","sms":true}"#)

  private static func kept(_ word: String, _ Word: String, about: String, example: String) -> [APIOperation] {
    let list = "/v1/admin/\(word)s"
    let one = "\(list)/{\(word)Id}"
    let item = """
      {"\(word)Id":"5","appId":"com.example.bank",\(example),"createdAt":"2026-11-21T09:30:00.123Z",\
      "updatedAt":"2026-11-21T09:30:00.123Z","updatedBy":"kim@example.com"}
      """
    return [
      APIOperation(
        .get, list, id: "list\(Word)s", in: .messages, "List \(word)s", "Those of an app, oldest first.",
        by: able(to: .viewContent), parameters: [ofApp(), limit, pageCursor],
        answers: [Answer(200, "A page of \(word)s.", "\(Word)Page", example: page(item))],
        problems: [.invalidField, .unknownApp]),
      APIOperation(
        .post, list, id: "create\(Word)", in: .messages, "Keep a \(word)", about, by: able(to: .manageContent),
        body: Body(
          schema: "New\(Word)", examples: [(word, #"{"appId":"com.example.bank",\#(example)}"#)]),
        answers: [Answer(201, "It is kept.", Word, example: item)],
        problems: [.unknownApp, .impossible, .conflict]),
      APIOperation(
        .get, one, id: "show\(Word)", in: .messages, "Show a \(word)", "As it was kept last.",
        by: able(to: .viewContent), answers: [Answer(200, "The \(word).", Word, example: item)],
        problems: [.notFound]),
      APIOperation(
        .put, one, id: "replace\(Word)", in: .messages, "Replace a \(word)",
        "Messages that were accepted are not changed.", by: able(to: .manageContent),
        body: Body(schema: "\(Word)Change", examples: [(word, "{\(example.replacing("UMSUI", with: "UMS"))}")]),
        answers: [Answer(200, "As it is now.", Word, example: item)],
        problems: [.notFound, .impossible, .conflict]),
      APIOperation(
        .delete, one, id: "delete\(Word)", in: .messages, "Delete a \(word)",
        "Messages that were accepted are not changed.", by: able(to: .manageContent),
        answers: [Answer(204, "It is gone.")], problems: [.notFound]),
    ]
  }
}
