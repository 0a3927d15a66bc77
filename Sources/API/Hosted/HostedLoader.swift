internal import Domain
internal import Logging
internal import Operations
internal import Postgres
package import Reactor
internal import Store

/// The thread `hosted`: reads pages and media for all HTTP loops, so that none of them waits for the database.
package final class HostedLoader: Sendable {
  enum Wish: Hashable, Sendable {
    case file(String)
    case part(String, Int)
  }

  enum Found: Sendable {
    /// Nil: there is no such file.
    case file(HostedFiles.Record?)
    case part([UInt8]?)
    /// The database did not answer.
    case failed
  }

  struct Work: Sendable {
    let wish: Wish
    /// Where the result goes.
    let answers: Inbox<(wish: Wish, found: Found)>
  }

  private let inbox: Inbox<Work>

  package init(databaseURL: String) throws(SystemError) {
    let inbox = try Inbox<Work>(capacity: HostedLimits.wishes)
    self.inbox = inbox
    _ = try Thread(name: "hosted") { Self.run(inbox, databaseURL) }
  }

  /// Stops reading; the thread ends.
  package func stop() {
    inbox.close()
  }

  /// Returns false when too many reads wait already.
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
          switch work.wish {
          case .file(let name): found = .file(try present.run(HostedFiles.find(name)))
          case .part(let name, let part): found = .part(try present.run(HostedFiles.part(name, Int32(part))))
          }
        } catch {
          log.error("a page or media could not be read", metadata: FailureDetails.of(error).mapValues { "\($0)" })
        }
        // A full inbox belongs to a loop that has stopped, or that has more reads open than it may have.
        _ = work.answers.offer((work.wish, found))
      }
    }
  }
}
