internal import Domain
internal import JSON
internal import Operations
internal import Postgres
internal import Store

/// The event that asks for a short message: to whom, and what the push said, filled in for this person.
enum SMSRequest {
  /// Events of people whose time is over. A message that is gone has none.
  static func events(_ due: [Fallbacks.Due], _ connection: Connection) throws -> [Events.New] {
    guard !due.isEmpty else { return [] }
    var events: [Events.New] = []
    let bySeqno = Dictionary(grouping: due, by: \.key.seqno)
    for stored in try connection.run(Messages.find(bySeqno.keys)) {
      // Accepted once, so it can be read; should it not be, the others must not wait for it.
      let request = try? MessageRequest(json: stored.request)
      let people = bySeqno[stored.seqno] ?? []
      let lines: [UserKey: CSVAudiences.Values] =
        if let csv = request?.csv {
          try connection.run(CSVAudiences.values(csv, of: Set(people.map(\.key.userKey))))
        } else {
          [:]
        }
      for person in people {
        let data = data(person, request, lines[person.key.userKey])
        events.append(
          Events.New(
            app: person.app, kind: .smsRequested, subject: "\(stored.seqno) \(person.key.userKey.text)", data: data))
      }
    }
    return events
  }

  private static func data(
    _ due: Fallbacks.Due, _ request: MessageRequest?, _ line: CSVAudiences.Values?
  ) -> [UInt8] {
    let clientUID = due.key.userKey.description
    let name = line.map(\.name).flatMap { $0.isEmpty ? nil : $0 } ?? due.clientName
    let fill = request.map {
      FilledText($0.content, clientUID: clientUID, clientName: name, line: line?.variables ?? [])
    }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("seqno", String(due.key.seqno))
      writer.member("clientUid", clientUID)
      writer.member("clientName", name)
      writer.member("unless", (request?.fallback?.unless ?? .received).name)
      writer.member("title", request?.content.alert?.title.flatMap { fill?($0) })
      writer.member("body", request?.content.alert?.body.flatMap { fill?($0) })
      writer.member("sender", request?.sender)
      if let reference = request?.reference { writer.member("reference", object: { reference.write(to: &$0) }) }
    }
    return writer.bytes
  }
}
