internal import Reactor

/// A request queued or in flight.
struct PendingRequest {
  let request: HTTPRequest
  let deadline: Instant
  let completion: (Result<HTTPResponse, HTTPClientError>) -> Void
  /// True if the request was retried after its kept-alive connection was lost.
  var wasRepeated = false
  /// The number of the origin's addresses that could not be reached for this request.
  var addressesTried = 0
}
