package import Domain
internal import Store
internal import Synchronization

/// A send to named users, checked and ready to be stored: a hot operation, carried out by a committer.
///
/// An OTP comes this way: message, audience, badge counts and claim share one commit with whatever else waits, and the
/// dispatcher gets it without planning. Everything unusual (`init?` answers nil) goes the way of `SendService`, whose answers
/// are the same; so there is nothing to refuse here.
package final class DirectSend: Sendable {
  let terms: SendTerms
  var request: MessageRequest { terms.request }
  var app: App { terms.app }
  let users: [UserKey]
  package var lane: Lane { request.lane }
  let kept: StoredRequest
  let size: PayloadSize
  /// Given once, kept when the batch is repeated: so a commit that was not heard of is found instead of done again.
  let number = Mutex<DirectSends.Number?>(nil)

  /// - Parameters:
  ///   - body: JSON, as it came.
  ///   - movesText: what is too large for somebody may move to a page. Otherwise it is refused, by the batch.
  ///   - door: where it came from.
  /// - Returns: nil when it is not an ordinary send to a few users by somebody who may.
  package init?(
    body: [UInt8], idempotencyKey: String?, caller: Caller, catalog: Catalog, movesText: Bool = true,
    door: App.Confidentiality.Door = .api
  ) {
    var asked = SendRequest(body: body, idempotencyKey: idempotencyKey, caller: caller)
    asked.door = door
    guard let message = try? MessageRequest(json: body), !message.dryRun, message.goesAtOnce,
      case .clientUIDs(let clientUIDs) = message.audience, clientUIDs.count <= Operations.Limits.namedUsers,
      let app = catalog.app(id: message.appID), app.pausedReason == nil, message.content.isOrdinary,
      let terms = try? SendTerms(message, filled: body, asked, app, seal: catalog.seal),
      let kept = try? terms.kept(body)
    else { return nil }
    let size = PayloadSize(message)
    // It may have to move to a page.
    guard size.fitsEverybody || !movesText || !message.content.hasMovableText else { return nil }
    self.terms = terms
    users = clientUIDs.map(UserKey.init(clientUID:))
    self.kept = kept
    self.size = size
  }
}

extension MessageContent {
  /// One language, the ordinary token, nothing that was uploaded: recipients differ by their names alone.
  fileprivate var isOrdinary: Bool {
    if case .upload? = media { return false }
    return translations.isEmpty && tokenKind == .alert
  }

  /// Something that a page could hold instead of the payload.
  fileprivate var hasMovableText: Bool {
    [ext, alert?.body].contains { ($0 ?? "").utf8.count > Operations.Limits.leastMovedText }
  }
}

extension Operations.Limits {
  /// Users of one send that a committer takes: more would keep its other operations waiting.
  static let namedUsers = 500
}
