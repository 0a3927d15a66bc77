import Foundation
import HTTPServer
import Reactor
import Synchronization

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

  let port: UInt16
  private let book = Book()
  private let stopper: EventLoop.Stopper

  /// - Parameters:
  ///   - history: receives the events; nil: they are dropped.
  ///   - run: the run that an app belongs to.
  init(_ history: History? = nil, run: @escaping @Sendable (String) -> Int?) throws {
    let listener = try Socket.listen(on: SocketAddress.resolve(host: "127.0.0.1", port: 0)[0])
    port = listener.localAddress?.port ?? 0
    let descriptor = listener.release()
    let ready = try Inbox<EventLoop.Stopper>(capacity: 1)
    let book = book
    _ = try Thread(name: "events") {
      do {
        let loop = try EventLoop()
        let server = try HTTPServer(
          loop: loop, listener: Socket(owning: descriptor), configuration: HTTPServer.Configuration(),
          handler: Handler(book, history, run))
        _ = ready.offer(loop.stopper)
        loop.run()
        server.close()
      } catch {
        Console.say("events cannot be received: \(error)")
      }
    }
    guard let stopper = ready.receive(atMost: .seconds(10)).first else { throw Trouble("events cannot be received") }
    self.stopper = stopper
  }

  func stop() { stopper.stop() }

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
