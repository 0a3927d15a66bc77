package import Domain
package import Reactor

/// Where providers put their results; made before the providers, given to both sides.
package struct ResultInbox: Sendable {
  let inbox: Inbox<CompleterInput>

  package init() throws(SystemError) {
    inbox = try Inbox(capacity: Limits.waitingResults)
  }

  package var sink: PushResultSink {
    let inbox = inbox
    return { results in
      // The window keeps what is under way far below the capacity: a refusal would be our own mistake.
      precondition(inbox.offer(.results(results)) || inbox.refusesAll, "more results than were ever submitted")
    }
  }
}
