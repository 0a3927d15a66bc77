package import Domain
internal import Store
internal import Synchronization

/// A send to named users, checked and ready to be stored: a hot operation, carried out by a committer.
///
/// An OTP comes this way: message, audience, badge counts and claim share one commit with whatever else waits, and the
/// dispatcher gets it without planning. Everything unusual (`init?` answers nil) goes the way of `Sending`, whose answers
/// are the same; so there is nothing to refuse here.
package final class NamedSend: Sendable {
  let request: MessageRequest
  let app: App
  let users: [UserKey]
  package var lane: Lane { request.lane }
  let kept: StoredRequest
  let digest: RequestDigest
  let idempotencyKey: String?
  let apiKey: Int32?
  let size: PayloadSize
  /// Given once, kept when the batch is repeated: so a commit that was not heard of is found instead of done again.
  let number = Mutex<NamedSends.Number?>(nil)

  /// - Parameters:
  ///   - body: JSON, as it came.
  ///   - movesText: what is too large for somebody may move to a page. Otherwise it is refused, by the batch.
  ///   - door: where it came from.
  /// - Returns: nil when it is not an ordinary send to a few users by somebody who may.
  package init?(
    body: [UInt8], idempotencyKey: String?, caller: Caller, catalog: Catalog, movesText: Bool = true,
    door: App.Confidentiality.Door = .api
  ) {
    guard var request = try? MessageRequest(json: body), !request.dryRun, request.goesAtOnce,
      case .clientUIDs(let clientUIDs) = request.audience, clientUIDs.count <= Operations.Limits.namedUsers,
      let app = catalog.app(id: request.appID), app.pausedReason == nil,
      (try? caller.require(.send, in: app)) != nil, (try? caller.requireOrigin(of: request)) != nil,
      (try? IdempotencyKey.check(idempotencyKey)) != nil,
      request.content.isOrdinary
    else { return nil }
    let size = PayloadSize(request)
    request.isConfidential = app.confidentiality.covers(request, from: door)
    guard !request.isConfidential || request.inboxSeconds == nil else { return nil }
    guard
      let kept = try? StoredRequest(
        body, isConfidential: request.isConfidential, of: app.number, seal: catalog.seal)
    else { return nil }
    // It may have to move to a page.
    guard size.fitsEverybody || !movesText || !request.content.hasMovableText else { return nil }
    self.request = request
    self.app = app
    self.idempotencyKey = idempotencyKey
    users = clientUIDs.map(UserKey.init(clientUID:))
    self.kept = kept
    digest = RequestDigest(body, isConfidential: request.isConfidential, seal: catalog.seal)
    apiKey = caller.apiKey
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
