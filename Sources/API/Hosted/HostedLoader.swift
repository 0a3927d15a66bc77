internal import Domain
internal import Logging
internal import Operations
internal import Postgres
package import Reactor
internal import Store

/// The thread `hosted`: reads pages and media for all HTTP loops, so that the loops do not wait for the database.
package final class HostedLoader: Sendable {
  enum Lookup: Hashable, Sendable {
    case file(String)
    case part(String, Int)
  }

  enum Found: Sendable {
    /// The file's record; nil if there is no such file.
    case file(HostedFiles.Record?)
    case part([UInt8]?)
    /// The database did not answer.
    case failed
  }

  struct Work: Sendable {
    let lookup: Lookup
    /// Inbox of the requesting HTTP loop, which receives the result.
    let answers: Inbox<(lookup: Lookup, found: Found)>
  }

  private let inbox: Inbox<Work>

  package init(databaseURL: String) throws(SystemError) {
    let inbox = try Inbox<Work>(capacity: HostedLimits.lookups)
    self.inbox = inbox
    _ = try Thread(name: "hosted") { Self.run(inbox, databaseURL) }
  }

  /// Ends the thread.
  package func stop() {
    inbox.close()
  }

  /// Queues a read. Returns false if too many are waiting.
  func offer(_ work: Work) -> Bool { inbox.offer(work) }

  private static func run(_ inbox: Inbox<Work>, _ databaseURL: String) {
    let log = Logger(label: "hosted")
    var options = ConnectionOptions()
    options.applicationName = "upmc hosted"
    options.silence = HostedLimits.silence
    let connection = OwnConnection(databaseURL, options)
    while !inbox.isClosed {
      for work in inbox.receive(atMost: .seconds(60)) {
        var found = Found.failed
        do throws(PostgresError) {
          let present = try connection.present()
          switch work.lookup {
          case .file(let name): found = .file(try present.run(HostedFiles.find(name)))
          case .part(let name, let part): found = .part(try present.run(HostedFiles.part(name, Int32(part))))
          }
        } catch {
          log.error("a page or media could not be read", metadata: FailureDetails.of(error).mapValues { "\($0)" })
        }
        // The inbox is full only when its loop has stopped, or has more reads open than allowed.
        _ = work.answers.offer((work.lookup, found))
      }
    }
  }
}
