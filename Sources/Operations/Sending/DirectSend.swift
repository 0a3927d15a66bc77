package import Domain
internal import Store
internal import Synchronization
internal import Time
package import Tracing

/// A send to named users, validated and ready to be stored: a hot operation, executed by a committer.
///
/// OTPs are sent this way: message, audience, badge counts and claim share one commit with whatever else is waiting,
/// and the dispatcher receives them without planning. Unusual sends (`init?` returns nil) go to `SendService`, which
/// gives the same answers, so nothing needs to be refused here.
package final class DirectSend: Sendable {
  let terms: SendTerms
  var request: MessageRequest { terms.request }
  var app: App { terms.app }
  let users: [UserKey]
  package var lane: Lane { request.lane }
  let kept: StoredRequest
  let size: PayloadSize
  let trace: TraceContext?
  /// Number of the message (SEQNO), nil until the first batch assigns it. The number is kept when the batch is retried,
  /// so that a message from a commit of unknown outcome is found instead of being stored twice.
  let number = Mutex<DirectSends.Number?>(nil)
  /// Times of further attempts to store the message under the number.
  let repeats = Mutex<[Timestamp]>([])

  /// Validates a request.
  /// - Parameters:
  ///   - body: the request's JSON, as received.
  ///   - movesText: whether text that is too large for a recipient may move to a page. If false, the batch refuses such
  ///     text.
  ///   - interface: the API through which the request came.
  ///   - trace: parent of the message's spans; nil if the message is not traced.
  /// - Returns: nil unless the request is valid, permitted and ordinary: no dry run and no ad, sent immediately at full
  ///   speed, without send window or canary, to at most `namedUsers` users by CUID, in one language, to alert tokens,
  ///   without uploaded media, in an app that the catalog knows and that is not paused. Also nil if `movesText` is true
  ///   and text may have to move to a page.
  package init?(
    body: [UInt8], idempotencyKey: String?, caller: Caller, catalog: Catalog, movesText: Bool = true,
    interface: App.Confidentiality.Interface = .api, trace: TraceContext? = nil
  ) {
    var asked = SendRequest(body: body, idempotencyKey: idempotencyKey, caller: caller)
    asked.interface = interface
    guard let message = try? MessageRequest(json: body), !message.dryRun, message.goesAtOnce,
      case .clientUIDs(let clientUIDs) = message.audience, clientUIDs.count <= Operations.Limits.namedUsers,
      let app = catalog.app(id: message.appID), app.pausedReason == nil, message.content.isOrdinary,
      let terms = try? SendTerms(message, filled: body, asked, app, seal: catalog.seal),
      let kept = try? terms.kept(body)
    else { return nil }
    let size = PayloadSize(terms.request)
    // The text may have to move to a page, which only `SendService` does.
    guard size.fitsEverybody || !movesText || !terms.request.content.hasMovableText else { return nil }
    self.terms = terms
    users = clientUIDs.map(UserKey.init(clientUID:))
    self.kept = kept
    self.size = size
    self.trace = trace
  }

  /// Takes back the number after an attempt of which certainly nothing was committed, so that the next one gets another:
  /// when the database crashes, it forgets such a number and gives it once more.
  package func takeBackNumber() {
    number.withLock { $0 = nil }
  }
}

extension MessageContent {
  /// Whether the message has one language, goes to the alert token, and shows no uploaded media. The sizes of its
  /// payloads then depend only on the recipients' CUIDs and names.
  fileprivate var isOrdinary: Bool {
    if case .upload? = media { return false }
    return translations.isEmpty && tokenKind == .alert
  }

  /// Whether the message has text large enough to move from the payload to a page.
  fileprivate var hasMovableText: Bool {
    [ext, alert?.body].contains { ($0 ?? "").utf8.count > Operations.Limits.leastMovedText }
  }
}

extension Operations.Limits {
  /// Maximum number of users in a direct send; more would delay the committer's other operations.
  static let namedUsers = 500
}
