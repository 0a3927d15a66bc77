import Foundation
import HTTPServer
import Synchronization
import TestSupport

/// A customer's webhook server that accepts every event and remembers it.
final class EventSink: Sendable {
  struct Event: Sendable {
    let id: String
    let kind: String
    let appID: String
    let seqno: String
    let user: String
  }

  private final class Book: Sendable {
    let events = Mutex<[Event]>([])
  }

  private let book = Book()
  private let server: ServerThread

  /// - Parameters:
  ///   - history: receives the events; nil: they are dropped.
  ///   - run: the run that an app belongs to.
  init(_ history: History? = nil, run: @escaping @Sendable (String) -> Int?) throws {
    let book = book
    server = try ServerThread("events") { Handler(book, history, run) }
  }

  var port: UInt16 { server.port }

  func stop() { server.stop() }

  var events: [Event] { book.events.withLock { $0 } }

  private final class Handler: RequestHandler {
    private let book: Book
    private let history: History?
    private let run: @Sendable (String) -> Int?

    init(_ book: Book, _ history: History?, _ run: @escaping @Sendable (String) -> Int?) {
      (self.book, self.history, self.run) = (book, history, run)
    }

    func handle(_ request: Request, _ responder: Responder) {
      let object = (try? JSONSerialization.jsonObject(with: Data(request.bodyBytes)) as? [String: Any]) ?? [:]
      let data = object["data"] as? [String: Any] ?? [:]
      let event = Event(
        id: request.headers.first { $0.name.lowercased() == "webhook-id" }?.value ?? "",
        kind: object["kind"] as? String ?? "", appID: object["appId"] as? String ?? data["appId"] as? String ?? "",
        seqno: data["seqno"] as? String ?? "", user: data["clientUid"] as? String ?? "")
      book.events.withLock { $0.append(event) }
      if let history, let run = run(event.appID) {
        history.note(
          "event", run: run,
          #""id":"\#(event.id)","kind":"\#(event.kind)","seqno":"\#(event.seqno)","user":"\#(event.user)""#)
      }
      responder.send(Response(status: Status(204), headers: [], body: []))
    }
  }
}
