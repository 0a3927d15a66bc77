internal import Domain
internal import HTTPClient
internal import JSON
internal import Operations
internal import Postgres
internal import Store
internal import Time
internal import Tracing

/// Creates the POST request of an event: `{"id","kind","appId","at","data":{…}}` and the three headers that
/// authenticate it.
enum Notice {
  /// Returns the JSON body of an event's request.
  /// - Parameters:
  ///   - contents: decrypts the event's confidential part.
  ///   - phone: the user's phone number, for `sms.requested`; nil if unknown.
  static func body(
    _ attempt: EventDeliveries.Attempt, _ contents: ContentSeal, phone: String? = nil
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("id", attempt.id.description)
      writer.member("kind", attempt.kind)
      writer.member("appId", attempt.appID)
      writer.member("at", attempt.at.description)
      writer.member("data", raw: data(attempt, contents, phone))
    }
    return writer.bytes
  }

  /// Returns the event's data, including its confidential part if that still exists. The phone number is decrypted only
  /// for this request and not stored.
  private static func data(
    _ attempt: EventDeliveries.Attempt, _ contents: ContentSeal, _ phone: String?
  ) -> [UInt8] {
    let data = whole(attempt, contents)
    guard attempt.kind == EventKind.smsRequested.rawValue, data.first == UInt8(ascii: "{") else { return data }
    var writer = JSONWriter()
    writer.object { $0.member("phone", phone) }
    return writer.bytes.dropLast() + [UInt8(ascii: ",")] + data.dropFirst()
  }

  private static func whole(_ attempt: EventDeliveries.Attempt, _ contents: ContentSeal) -> [UInt8] {
    guard let sealed = attempt.sealed, let content = contents.open(sealed, of: attempt.app),
      let whole = try? SealedRequest.join(attempt.data, content)
    else { return attempt.data }
    return whole
  }

  /// Returns the signed request that delivers an event.
  /// - Parameters:
  ///   - target: path and query of the webhook.
  ///   - secrets: signing secrets; the request carries one signature for each.
  ///   - seconds: the current time, in seconds since 1970.
  ///   - trace: trace context, sent as `traceparent`; nil to omit the header.
  static func request(
    _ attempt: EventDeliveries.Attempt, _ contents: ContentSeal, phone: String?, to target: String, secrets: [[UInt8]],
    seconds: Int64, trace: TraceContext? = nil
  ) -> HTTPRequest {
    let body = body(attempt, contents, phone: phone)
    let id = attempt.id.description
    var request = HTTPRequest(
      "POST", target,
      headers: [
        ("Content-Type", "application/json"), ("User-Agent", "\(Product.name)/\(Product.version)"), ("webhook-id", id),
        ("webhook-timestamp", String(seconds)),
        ("webhook-signature", Signature.sign(id: id, seconds: seconds, body: body, secrets: secrets)),
      ], body: body)
    if let trace { request.headers.append(("traceparent", trace.traceparent)) }
    // Receivers recognize a repetition by the event's id.
    request.isRepeatable = true
    return request
  }
}
