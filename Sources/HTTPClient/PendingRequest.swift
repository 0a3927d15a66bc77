internal import Reactor

/// A request that waits for a connection or has one.
struct PendingRequest {
  let request: HTTPRequest
  let deadline: Instant
  let completion: (Result<HTTPResponse, HTTPClientError>) -> Void
  /// True when a kept-alive connection has died under it already.
  var wasRepeated = false
}
