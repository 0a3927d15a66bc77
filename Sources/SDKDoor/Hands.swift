package import HTTPServer
package import Operations
package import Domain
package import Postgres
package import Reactor

/// What the door needs of its house to get things done: it knows no other door.
package struct Hands {
  /// Hands an operation to the loop's committer; the completion is called on the loop's thread.
  package typealias Submit = (Operation, @escaping (OperationBatch.Outcome) -> Void) -> Void
  /// Straight-line work on a thread with a connection of its own, or with the reason why there is none.
  package typealias Job = @Sendable (Result<Connection, Problem>) -> Response

  let submit: Submit
  let takesSends: (Lane) -> Bool
  /// In whose name a job is done, if that is known; the client's address; and how much the job keeps in memory.
  package typealias Errand = (caller: Caller?, address: IPAddress?, bytes: Int)
  /// Answers why the job will not be run: too many wait.
  package typealias Perform = (Errand, ResponseTicket, @escaping Job) -> Problem?

  let perform: Perform
  /// Where pages and media are reached.
  let hosting: Hosting
  /// Called, on any thread, when a message has been stored.
  let messageCommitted: @Sendable () -> Void

  package init(
    submit: @escaping Submit, takesSends: @escaping (Lane) -> Bool,
    perform: @escaping Perform, hosting: Hosting,
    messageCommitted: @escaping @Sendable () -> Void
  ) {
    self.submit = submit
    self.takesSends = takesSends
    self.perform = perform
    self.hosting = hosting
    self.messageCommitted = messageCommitted
  }
}
