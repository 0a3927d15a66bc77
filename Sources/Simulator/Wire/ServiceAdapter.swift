internal import HTTP2
internal import TLS

/// What one of the simulated services (APNs, FCM) adds to a connection: who may come in, what a request is worth, and how
/// an answer is written. One for each connection; the wire below it is the same for all.
protocol ServiceAdapter: AnyObject {
  /// Where it belongs, for faults that befall one service only.
  var place: FaultPlan.Place { get }
  /// Longest body that is looked at, in bytes; what is beyond only counts.
  var storedBodyBytes: Int { get }
  /// How connections are treated.
  var conduct: ConnectionConduct.Policy { get }

  /// A client certificate was shown. Nil when it is fine, else what GOAWAY says.
  func present(_ certificate: CertificateInfo, nowSeconds: Int64) -> [UInt8]?
  /// Whether the connection needs no push to prove itself.
  var isProven: Bool { get }

  /// What becomes of a request. The one ruled on last is the one that `deliver` delivers.
  func rule(on stream: ServerStream) -> Ruling
  /// Puts the push on record and hands it to the device.
  func deliver(_ id: MessageID)
  /// An answer counts as an error: what follows for the connection.
  func penalty(for answer: Effect.Answer) -> Reason?

  func makeReply(_ stream: ServerStream, _ id: MessageID, _ content: PushReply.Content) -> PushReply
  func write(_ reply: PushReply, on session: ServerSession)
  /// What GOAWAY says when a connection is idle, and when the service ends.
  func farewell(isIdle: Bool) -> [UInt8]
}

/// The verdict on one request.
enum Ruling {
  /// Refused with a reason that faults know too.
  case refused(Effect.Answer, timestampMilliseconds: Int64?, id: MessageID)
  /// Refused with an answer that is written already.
  case answered(status: Int, fields: [HeaderField], body: [UInt8], id: MessageID)
  /// Valid, but nothing is delivered.
  case pretended(id: MessageID)
  case accepted(FaultPlan.Target, id: MessageID)
}
