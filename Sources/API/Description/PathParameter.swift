internal import JSON
internal import Domain

/// The description of a variable part of paths, such as `{seqno}`. It is the same wherever this name occurs.
struct PathParameter {
  let name: String
  let schema: JSONTree
  let about: String
  let example: JSONTree

  var node: JSONTree {
    .object([
      ("name", .text(name)), ("in", "path"), ("required", .flag(true)), ("description", .text(about)),
      ("schema", schema), ("example", example),
    ])
  }

  static let all = [
    PathParameter(
      name: "device", schema: JSONSchema.uuid, about: "The device's id, as its registration answered it.",
      example: "b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b"),
    PathParameter(
      name: "groupSeq", schema: JSONSchema.sequence, about: "GROUPSEQ, the number of a group.", example: "12"),
    PathParameter(
      name: "kind", schema: JSONSchema.words(TokenKind.further.map(\.name)), about: "What the token is for.",
      example: "voip"),
    PathParameter(
      name: "activityId",
      schema: JSONSchema.text(upTo: Domain.Limits.activityIDBytes, matching: #"^[A-Za-z0-9._~:-]+$"#),
      about: "What the app calls the Live Activity: ActivityKit's id, or a name of its own.", example: "order-42"),
    PathParameter(
      name: "segmentId", schema: JSONSchema.sequence, about: "The number of a segment, as its creation answered it.",
      example: "3"),
    PathParameter(
      name: "seqno", schema: JSONSchema.sequence, about: "SEQNO, the number of a message.", example: "104"),
    PathParameter(
      name: "channelId", schema: JSONSchema.sequence, about: "The number of a channel, as its creation answered it.",
      example: "3"),
    PathParameter(
      name: "webhookId", schema: JSONSchema.sequence, about: "The number of a webhook, as its creation answered it.",
      example: "3"),
    PathParameter(
      name: "appId", schema: JSONSchema.appID, about: "The app: its bundle identifier or package name.",
      example: "com.example.bank"),
    PathParameter(
      name: "clientUid",
      // Characters that a file system or another server could interpret as a different path are refused in all paths.
      schema: JSONSchema.text(
        upTo: Domain.Limits.clientUIDBytes, matching: #"^[^\u0000-\u001f\u007f/\\]+$"#
      ).adding("not", .object([("enum", .texts([".", ".."]))])),
      about: "CUID, the client user id. One with a slash, a backslash or a control character cannot stand in a path.",
      example: "kim01"),
    PathParameter(
      name: "accountId", schema: JSONSchema.text(matching: "^[0-9]{1,10}$"), about: "The number of a console account.",
      example: "2"),
    PathParameter(
      name: "uploadId", schema: JSONSchema.text(matching: "^[A-Za-z0-9_-]{1,64}$"),
      about: "The name of an uploaded file, as its upload answered it.", example: "5Zx0uT3bYw9cQk2Lr8VnAg"),
    PathParameter(
      name: "csvId", schema: JSONSchema.sequence, about: "The number of an uploaded audience.", example: "5"),
    PathParameter(
      name: "sessionId", schema: JSONSchema.sequence, about: "The number of a session, as the list shows it.",
      example: "7"),
    PathParameter(
      name: "templateId", schema: JSONSchema.sequence, about: "The number of a template.", example: "5"),
    PathParameter(name: "draftId", schema: JSONSchema.sequence, about: "The number of a draft.", example: "6"),
    PathParameter(name: "senderId", schema: JSONSchema.sequence, about: "The number of a sender.", example: "7"),
    PathParameter(name: "importId", schema: JSONSchema.sequence, about: "The number of an import.", example: "9"),
    PathParameter(
      name: "part", schema: JSONSchema.text(matching: "^[1-9][0-9]{0,8}$"), about: "Which part of the file, from 1.",
      example: "1"),
    PathParameter(name: "approvalId", schema: JSONSchema.sequence, about: "The number of an approval.", example: "7"),
    PathParameter(
      name: "apiKeyId", schema: JSONSchema.text(matching: "^[0-9]{1,10}$"), about: "The number of an API key.",
      example: "3"
    ),
  ]
}
