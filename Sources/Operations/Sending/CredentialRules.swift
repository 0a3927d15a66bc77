internal import Domain
internal import JSON
internal import Postgres
internal import Store

/// Checks whether an app's push credential permits a message. Signing keys permit all kinds. A certificate is limited
/// to its topics: APNs would refuse any other push for every device, and the app would be paused.
enum CredentialRules {
  /// Throws `.impossible`, with the path of the push type, if the app's push certificate does not permit that type.
  /// Signing keys, apps without an APNs credential, and types that use the app's plain topic always pass.
  static func check(_ message: MessageRequest, _ app: App, on connection: Connection) throws(Problem) {
    let type = message.content.pushType
    guard !type.topicSuffix.isEmpty else { return }
    let credentials = try connection.answer(Secrets.credentials())
    guard let credential = credentials.first(where: { $0.app == app.number && $0.network == .apns }),
      credential.kind == Administration.apnsCertificateKind
    else { return }
    if type.needsProviderToken {
      throw Problem(
        .impossible, at: "/pushType", "cannot be sent with a push certificate; set a .p8 key with `upmc app credential`"
      )
    }
    let topic = app.appID + type.topicSuffix
    guard topics(credential.publicPart).contains(topic) else {
      throw Problem(
        .impossible, at: "/pushType",
        "needs a push certificate for \(topic), or a .p8 key; set it with `upmc app credential`")
    }
  }

  private static func topics(_ publicPart: String) -> [String] {
    var topics: [String] = []
    var reader = JSONReader(Array(publicPart.utf8))
    // If the stored value is unreadable, no topic is permitted.
    try? reader.readObject { (reader, key) throws(JSONError) in
      guard key == "topics" else { return try reader.skip() }
      try reader.readArray { (reader, _) throws(JSONError) in topics.append(try reader.readString()) }
    }
    return topics
  }
}
