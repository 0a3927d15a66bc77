internal import Domain
internal import Logging
internal import Operations
internal import Postgres
package import Reactor
internal import Store

/// The thread `hosted` and its queue: reads pages and media from the database for all HTTP loops, so that the loops do
/// not wait. Callable from any thread.
package final class HostedLoader: Sendable {
  enum Lookup: Hashable, Sendable {
    case file(String)
    case part(String, Int)
  }

  enum Found: Sendable {
    /// The file's record; nil if there is no such file.
    case file(HostedFiles.Record?)
    case part([UInt8]?)
    /// The read failed, or was not queued because too many were waiting.
    case failed
  }

  struct Work: Sendable {
    let lookup: Lookup
    /// Inbox of the requesting HTTP loop. The result is added to it.
    let answers: Inbox<(lookup: Lookup, found: Found)>
  }

  private let inbox: Inbox<Work>

  package init(databaseURL: String) throws(SystemError) {
    let inbox = try Inbox<Work>(capacity: HostedLimits.lookups)
    self.inbox = inbox
    _ = try Thread(name: "hosted") { Self.run(inbox, databaseURL) }
  }

  /// Closes the queue: further reads are refused, and the thread ends after the queued ones. Returns at once.
  package func stop() {
    inbox.close()
  }

  /// Queues a read. Returns false, without queueing it, if `HostedLimits.lookups` are waiting or `stop` was called.
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
