internal import Domain
internal import JSON
internal import Operations
internal import Postgres
internal import Store

/// Creates the `sms.requested` event: the user, and the push's text filled in for this user, in the language of the
/// user's device. If several devices have different languages, that of the device which registered last.
enum SMSRequest {
  /// Returns the events of users whose deadline has passed; none for a message that no longer exists.
  /// - Parameter contents: decrypts the texts of confidential messages, whose events contain them encrypted.
  static func events(
    _ due: [Fallbacks.Due], _ contents: ContentSeal, _ connection: Connection
  ) throws -> [Events.New] {
    guard !due.isEmpty else { return [] }
    var events: [Events.New] = []
    let bySeqno = Dictionary(grouping: due, by: \.key.seqno)
    for stored in try connection.run(Messages.find(bySeqno.keys)) {
      // The request was valid when accepted; if it cannot be read now, the other events must not wait for it.
      let request =
        (try? contents.request(stored.request, sealed: stored.sealed, of: stored.app))
        ?? (try? MessageRequest(stored: stored.request))
      let people = bySeqno[stored.seqno] ?? []
      let lines: [UserKey: CSVAudiences.Values] =
        if let csv = request?.csv {
          try connection.run(CSVAudiences.values(csv, of: Set(people.map(\.key.userKey))))
        } else {
          [:]
        }
      let languages = request?.content.languages ?? LanguageTable([])
      let users = Set(people.map { Users.Key(app: $0.app, userKey: $0.key.userKey) })
      let locales = languages.isEmpty ? [:] : try connection.run(Devices.locales(ofUsers: users))
      for person in people {
        let place = languages.place(locale: locales[Users.Key(app: person.app, userKey: person.key.userKey)] ?? "")
        let text = text(person, request, lines[person.key.userKey], language: place)
        let isConfidential = request?.isConfidential ?? false
        var event = Events.New(
          app: person.app, kind: .smsRequested, subject: "\(stored.seqno) \(person.key.userKey.text)",
          data: data(person, text.name, request, text: isConfidential ? nil : text))
        if isConfidential, request?.isContentSealed == false {
          event.sealed = contents.seal(object { text.write(to: &$0) }, of: person.app)
        }
        events.append(event)
      }
    }
    return events
  }

  /// The push's text for one user.
  private struct Text {
    let name: String
    let title: String?
    let body: String?

    func write(to writer: inout JSONWriter) {
      writer.member("title", title)
      writer.member("body", body)
    }
  }

  private static func object(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { write(&$0) }
    return writer.bytes
  }

  private static func text(
    _ due: Fallbacks.Due, _ request: MessageRequest?, _ line: CSVAudiences.Values?, language: Int
  ) -> Text {
    let alert = request.flatMap { request in
      language == 0 ? request.content.alert : request.content.translations[language - 1].alert
    }
    let name = line.map(\.name).flatMap { $0.isEmpty ? nil : $0 } ?? due.clientName
    let fill = request.map {
      FilledText($0.content, clientUID: due.key.userKey.description, clientName: name, line: line?.variables ?? [])
    }
    return Text(
      name: name, title: alert?.title.flatMap { fill?($0) }, body: alert?.body.flatMap { fill?($0) })
  }

  /// Returns the event's data as JSON.
  /// - Parameter text: nil if it is confidential and therefore encrypted separately.
  private static func data(
    _ due: Fallbacks.Due, _ name: String, _ request: MessageRequest?, text: Text?
  ) -> [UInt8] {
    object { writer in
      writer.member("seqno", String(due.key.seqno))
      writer.member("clientUid", due.key.userKey.description)
      writer.member("clientName", name)
      writer.member("unless", (request?.fallback?.unless ?? .received).name)
      if let text { text.write(to: &writer) } else { writer.member("confidential", true) }
      writer.member("sender", request?.sender)
      if let reference = request?.reference { writer.member("reference", object: { reference.write(to: &$0) }) }
    }
  }
}
