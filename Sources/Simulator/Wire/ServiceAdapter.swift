internal import HTTP2
internal import TLS

/// The behavior of one of the simulated services (APNs, channel management, FCM) on a connection: authentication,
/// validation, and encoding of answers. One instance per connection.
protocol ServiceAdapter: AnyObject {
  /// The service, which faults may be limited to.
  var place: FaultPlan.Place { get }
  /// Maximum length of a body that is stored, in bytes; the rest is only counted.
  var storedBodyBytes: Int { get }
  /// Stream limit and error policy of the connection.
  var conduct: StreamLimitPolicy.Policy { get }

  /// Checks the client certificate that the provider presented. Returns the debug data for a GOAWAY if it is not
  /// acceptable; nil if it is.
  func present(_ certificate: CertificateInfo, nowSeconds: Int64) -> [UInt8]?
  /// True if the provider is authenticated before its first push.
  var isProven: Bool { get }

  /// Validates a request. An accepted one becomes the one that `deliver` delivers.
  func rule(on stream: ServerStream) -> Ruling
  /// Records the push accepted last and delivers it to the device.
  func deliver(_ id: MessageID)
  /// Returns the reason under which an error answer counts against the connection (`StreamLimitPolicy`); nil if it does
  /// not count.
  func penalty(for answer: Effect.Answer) -> Reason?

  func makeReply(_ stream: ServerStream, _ id: MessageID, _ content: PushReply.Content) -> PushReply
  func write(_ reply: PushReply, on session: ServerSession)
  /// Returns the debug data of a GOAWAY, for an idle connection or for a shutdown.
  func goAwayDebugData(isIdle: Bool) -> [UInt8]
}

/// The result of validating a request.
enum Ruling {
  /// Refused, with an error that a fault could also produce.
  case refused(Effect.Answer, timestampMilliseconds: Int64?, id: MessageID)
  /// Not delivered, with an answer that is already encoded.
  case answered(status: Int, fields: [HeaderField], body: [UInt8], id: MessageID)
  /// Valid, but nothing is delivered.
  case pretended(id: MessageID)
  case accepted(FaultPlan.Target, id: MessageID)
}
