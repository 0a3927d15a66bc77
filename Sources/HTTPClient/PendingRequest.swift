internal import Reactor

/// A request queued or in flight.
struct PendingRequest {
  let request: HTTPRequest
  let deadline: Instant
  let completion: (Result<HTTPResponse, HTTPClientError>) -> Void
  /// A kept-alive connection has already died under it.
  var wasRepeated = false
}
