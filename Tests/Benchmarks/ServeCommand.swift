internal import ArgumentParser
internal import HTTPServer
internal import Reactor

/// A helper of H1: our HTTP engine with nothing behind it.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve constants over HTTP/1.1 (a helper of H1).", shouldDisplay: false)

  @Option(help: "Port on the loopback address.")
  var port: UInt16

  @Option(help: "Loops, each with a thread and a listening socket of its own.")
  var loops = 1

  func run() throws {
    Signals.block()
    let port = port
    for number in 0..<loops {
      _ = try Thread(name: "http-\(number)") { Self.loop(port) }
    }
    _ = Signals.wait()
  }

  private static func loop(_ port: UInt16) {
    do {
      let loop = try EventLoop()
      let server = try HTTPServer(loop: loop, listener: try Loopback.listen(on: port), handler: Constants())
      loop.run()
      server.close()
    } catch {
      StandardStreams.printError("\(error)")
    }
  }
}

/// Answers what nginx is told to answer, after having read the body as a real door would.
private final class Constants: RequestHandler {
  func handle(_ request: Request, _ responder: Responder) {
    switch request.method {
    case .get where request.pathEquals("/health"):
      responder.send(status: .ok, contentType: "application/json", body: #"{"status":"ok"}"#)
    case .post where request.pathEquals("/echo"):
      let isObject = request.withBody { body in body.count > 1 && body[0] == UInt8(ascii: "{") }
      responder.send(
        status: isObject ? .ok : .badRequest, contentType: "application/json",
        body: isObject ? #"{"ok":true}"# : #"{"ok":false}"#)
    default:
      responder.send(status: .notFound, contentType: "application/json", body: "{}")
    }
  }
}
