internal import Domain

/// What stands in braces in a path.
struct PathParameter {
  let name: String
  let schema: Node
  let about: String
  let example: Node

  var node: Node {
    .object([
      ("name", .text(name)), ("in", "path"), ("required", .flag(true)), ("description", .text(about)),
      ("schema", schema), ("example", example),
    ])
  }

  static let all = [
    PathParameter(
      name: "device", schema: Schema.uuid, about: "The device's id, as its registration answered it.",
      example: "b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b"),
    PathParameter(
      name: "groupSeq", schema: Schema.sequence, about: "GROUPSEQ, the number of a group.", example: "12"),
    PathParameter(
      name: "kind", schema: Schema.words(TokenKind.further.map(\.name)), about: "What the token is for.",
      example: "voip"),
    PathParameter(
      name: "segment", schema: Schema.sequence, about: "The number of a segment, as its creation answered it.",
      example: "3"),
    PathParameter(
      name: "seqno", schema: Schema.sequence, about: "SEQNO, the number of a message.", example: "104"),
    PathParameter(
      name: "appId", schema: Schema.appID, about: "The app: its bundle identifier or package name.",
      example: "com.example.bank"),
    PathParameter(
      name: "clientUid", schema: Schema.text(upTo: Domain.Limits.clientUIDBytes), about: "CUID, the client user id.",
      example: "kim01"),
    PathParameter(
      name: "account", schema: Schema.text(matching: "^[0-9]{1,10}$"), about: "The number of a console account.",
      example: "2"),
    PathParameter(
      name: "apiKeyId", schema: Schema.text(matching: "^[0-9]{1,10}$"), about: "The number of an API key.", example: "3"
    ),
  ]
}

extension Schema {
  static let appID = Node.object([
    ("type", "string"), ("pattern", "^[A-Za-z0-9._-]+$"), ("minLength", .number(1)),
    ("maxLength", .number(Domain.Limits.appIDBytes)),
  ])
}
