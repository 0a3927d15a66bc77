package import Domain
package import Reactor

/// Where providers put their results; made before the providers, given to both sides. One inbox for each crew.
package struct ResultInbox: Sendable {
  let inboxes: [Inbox<CompleterInput>]

  package init() throws(SystemError) {
    inboxes = [try Inbox(capacity: Limits.waitingResults), try Inbox(capacity: Limits.waitingResults)]
  }

  package var sink: PushResultSink {
    let inboxes = inboxes
    return { results in
      guard let first = results.first else { return }
      let crew = Crew.number(ofBatch: first.batch)
      // As a rule all belong to one crew.
      if results.allSatisfy({ Crew.number(ofBatch: $0.batch) == crew }) {
        return Self.put(results, into: inboxes[crew])
      }
      for (number, inbox) in inboxes.enumerated() {
        let own = results.filter { Crew.number(ofBatch: $0.batch) == number }
        if !own.isEmpty { Self.put(own, into: inbox) }
      }
    }
  }

  private static func put(_ results: [PushResult], into inbox: Inbox<CompleterInput>) {
    // The window keeps what is under way far below the capacity: a refusal would be our own mistake.
    precondition(inbox.offer(.results(results)) || inbox.refusesAll, "more results than were ever submitted")
  }
}
