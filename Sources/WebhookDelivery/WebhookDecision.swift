internal import HTTPClient
internal import Store

/// Decides what happens to an event after an attempt.
struct WebhookDecision: Equatable {
  var state: Events.State
  /// Delay before the next attempt in seconds.
  var afterSeconds: Int32 = 0
  var status: Int16?
  /// Why the attempt failed, for people to read; nil if the event was delivered.
  var reason: String?

  /// Decides whether an event is delivered, retried or given up after an attempt.
  /// - Parameters:
  ///   - attempts: number of attempts, including this one.
  ///   - pauses: delays before the second attempt, the third …, in seconds.
  static func of(_ outcome: Result<HTTPResponse, HTTPClientError>, attempts: Int16, pauses: [Int32]) -> WebhookDecision
  {
    var verdict = WebhookDecision(state: .waiting)
    var asked: Int32 = 0
    switch outcome {
    case .success(let response):
      verdict.status = Int16(clamping: response.status)
      if (200..<300).contains(response.status) {
        verdict.state = .delivered
        return verdict
      }
      verdict.reason = reason(response.status)
      if let seconds = response.header("retry-after").flatMap({ Int32($0) }), seconds > 0 {
        asked = min(seconds, WebhookDeliveryLimits.longestRetryAfter)
      }
    // Tenants read this reason: details of the operator's proxy and network are only logged.
    case .failure(.noTunnel): verdict.reason = "the proxy did not connect"
    case .failure(.unreachable(let reason)):
      verdict.reason = HTTPClientError.unreachable(ProxyTunnel.withoutProxy(reason)).description
    case .failure(let error): verdict.reason = error.description
    }
    guard attempts >= 1, Int(attempts) <= pauses.count else {
      verdict.state = .dead
      return verdict
    }
    verdict.afterSeconds = max(pauses[Int(attempts) - 1], asked)
    return verdict
  }

  private static func reason(_ status: Int) -> String {
    (300..<400).contains(status)
      ? "it answered \(status); redirections are not followed" : "it answered \(status) instead of 2xx"
  }
}
