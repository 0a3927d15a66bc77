internal import HTTPClient
internal import JSON
internal import Operations
internal import Postgres
internal import Store

/// An event as it is posted: `{"id","kind","appId","at","data":{…}}` and the three headers that prove it.
enum Notice {
  static func body(_ attempt: EventDeliveries.Attempt) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("id", attempt.id.description)
      writer.member("kind", attempt.kind)
      writer.member("appId", attempt.appID)
      writer.member("at", Timestamp.text(attempt.at))
      writer.member("data", raw: attempt.data)
    }
    return writer.bytes
  }

  /// - Parameters:
  ///   - target: path and query of the webhook.
  ///   - seconds: now, since 1970.
  static func request(
    _ attempt: EventDeliveries.Attempt, to target: String, secret: [UInt8], seconds: Int64
  ) -> HTTPRequest {
    let body = body(attempt)
    let id = attempt.id.description
    var request = HTTPRequest(
      "POST", target,
      headers: [
        ("Content-Type", "application/json"), ("User-Agent", "upmc"), ("webhook-id", id),
        ("webhook-timestamp", String(seconds)),
        ("webhook-signature", Signature.sign(id: id, seconds: seconds, body: body, secret: secret)),
      ], body: body)
    // The receiver knows it by its id.
    request.isRepeatable = true
    return request
  }
}
