package import Reactor

/// A blocking variant of the client.
extension HTTPClient {
  /// An HTTP client for blocking callers: the command line and tests. Runs its own event loop on the calling thread;
  /// one request at a time.
  package final class Blocking {
    private let loop: EventLoop
    private let client: HTTPClient

    package init(_ origin: HTTPOrigin, configuration: Configuration = Configuration()) throws(SystemError) {
      loop = try EventLoop()
      client = HTTPClient(origin, loop: loop, configuration: configuration)
    }

    deinit {
      client.close()
    }

    /// Sends a request and blocks until the response, for at most `timeout` or the configured time.
    package func send(
      _ request: HTTPRequest, timeout: Duration? = nil
    ) throws(HTTPClientError) -> HTTPResponse {
      var outcome: Result<HTTPResponse, HTTPClientError>?
      client.send(request, timeout: timeout) { outcome = $0 }
      while true {
        if let outcome { return try outcome.get() }
        loop.turn(atMost: nil)
      }
    }
  }
}
