internal import Domain
internal import HTTPClient
internal import JSON
internal import Logging
internal import PlainText
internal import PushTransport
internal import Reactor
internal import TLS
internal import Time

/// The OAuth access token of one service account. Fetched when first needed and renewed before it expires, by one
/// request at a time.
///
/// ```
///             present()                addresses                200
///   nothing ────────────► resolving ──────────────► asking ────────────► holding a token
///                             ▲                        │                     │ five minutes before its end,
///                             │ 1…60 s                 ├ no answer, 5xx      │ or refused by FCM: fetch another;
///                             └──────────── delayed ◄──┘                     │ the old one serves meanwhile,
///                                                      │ 400, 401, 403       ▼ unless it was refused
///                             refused for 10 s ◄───────┘                 resolving
/// ```
final class AccessTokens {
  enum Change {
    /// A new token is available.
    case present
    /// No token is available; the duration is the time until the next attempt.
    case delayed(Duration)
    /// Google has refused the service account, for the reason given.
    case refused(String)
  }

  private enum State {
    case idle
    case resolving
    case asking
    case waiting
  }

  let account: ServiceAccount
  /// The handler called after each change, never from within another method.
  var changed: (Change) -> Void = { _ in }
  /// A closure that returns true if an app still uses the account. If none does, the token is not renewed.
  var isWanted: () -> Bool = { true }
  /// The reason why Google refuses the account; nil if it does not, or has not been asked.
  private(set) var fault: String?
  /// The handler that receives Google's clock, in seconds since 1970, because a wrong clock of ours is a possible cause
  /// of a refusal.
  var heardTime: ((_ peerSeconds: Int64) -> Void)?

  private let url: HTTPURL?
  private let urlText: String
  private let loop: EventLoop
  private let logger: Logger
  private let context: () throws(TLSError) -> TLSContext
  private let wire: WireConfiguration
  /// Timeout of a request.
  private let timeout: Duration
  private let resolve: (Endpoint) -> Bool

  private var state = State.idle
  private var token: String?
  /// The expiry of the token by the monotonic clock, which stops while the machine sleeps, and by the wall clock, which
  /// may be set back. The earlier one applies.
  private var (endsAt, endsAtSeconds) = (Instant(nanoseconds: 0), Int64(0))
  private var changedAt: Instant?
  private var refusedAt: Instant?
  private var backOff = BackOff()
  /// True from a warning that there is no token until there is one. The log folds all such warnings into one entry.
  private var isFaulty = false
  private var client: HTTPClient?

  /// Creates the token holder of an account; fetches nothing yet.
  /// - Parameters:
  ///   - timeout: timeout of a request.
  ///   - context: returns the TLS context for HTTP/1.1, if the address is https.
  ///   - resolve: starts a look-up whose result is passed to `resolved`. Returns false if the resolver's queue is full.
  init(
    _ account: ServiceAccount, url: String, loop: EventLoop, wire: WireConfiguration,
    timeout: Duration = .seconds(FCM.Limits.tokenRequestSeconds), context: @escaping () throws(TLSError) -> TLSContext,
    resolve: @escaping (Endpoint) -> Bool
  ) {
    self.account = account
    urlText = url
    self.url = HTTPURL(url)
    self.context = context
    self.loop = loop
    self.wire = wire
    self.timeout = timeout
    logger = wire.logger
    self.resolve = resolve
  }

  private var wallSeconds: Int64 { loop.clock.wallTime.seconds }

  /// The remaining lifetime of the token.
  private var rest: Duration { min(endsAt - loop.clock.now, .seconds(endsAtSeconds - wallSeconds)) }

  /// Returns the token to use now; nil if there is none. Starts fetching one if there is none or it expires soon.
  func present() -> String? {
    let rest = rest
    // Do not renew a short-lived token more often than every five seconds.
    if token == nil || rest <= .zero || rest < .seconds(FCM.Limits.tokenRenewalSeconds) && !isChanging { fetch() }
    return rest > .zero ? token : nil
  }

  /// Called when FCM has refused the token: fetches a new one. Returns false if FCM refused the previous token shortly
  /// before, in which case the token is not the cause.
  func refused() -> Bool {
    // The refusal concerns the previous token, not the one that has just arrived.
    guard !isChanging else { return true }
    let now = loop.clock.now
    if let refusedAt, now - refusedAt < .seconds(FCM.Limits.tokenRefusalSeconds) { return false }
    refusedAt = now
    token = nil
    fetch()
    return true
  }

  /// True while answers may still concern the previous token.
  private var isChanging: Bool {
    if token == nil { return true }
    return changedAt.map { loop.clock.now - $0 < .seconds(FCM.Limits.tokenChangeSeconds) } ?? false
  }

  func stop() {
    client?.close()
    client = nil
    changed = { _ in }
  }

  // MARK: Fetching

  private func fetch() {
    guard state == .idle, fault == nil else { return }
    guard let url else { return refuse("the address of access tokens, \(urlText), is no URL") }
    state = .resolving
    guard !resolve(wire.hop(to: Endpoint(host: url.host, port: url.port))) else { return }
    // Deferred, because the caller is in the middle of updating its state.
    loop.schedule(after: .zero) { [weak self] in self?.failed("no name can be looked up now") }
  }

  func resolved(_ result: Result<[SocketAddress], SystemError>) {
    guard state == .resolving, let url else { return }
    switch result {
    case .failure(let error): failed(tunnel(url)?.naming(error) ?? error.description)
    case .success(let addresses):
      guard !addresses.isEmpty else {
        return failed("\(wire.hop(to: Endpoint(host: url.host, port: url.port)).host) has no address")
      }
      // In random order, so that nodes spread over them.
      ask(addresses.shuffled(), url)
    }
  }

  private func tunnel(_ url: HTTPURL) -> ProxyTunnel? {
    wire.proxy?.tunnel(to: url.host, port: url.port)
  }

  /// Requests a token.
  /// - Parameter addresses: addresses of the token endpoint, or of the proxy; at least one. Each is tried if those
  ///   before it cannot be reached.
  private func ask(_ addresses: [SocketAddress], _ url: HTTPURL) {
    do {
      var configuration = HTTPClient.Configuration()
      configuration.connections = 1
      configuration.timeout = timeout
      configuration.bodyBytes = FCM.Limits.tokenAnswerBytes
      configuration.tunnel = tunnel(url)
      if url.isSecure {
        configuration.security = HTTPClientSecurity(context: try context(), serverName: url.host)
      }
      let usualPort: UInt16 = url.isSecure ? 443 : 80
      let name = url.host.contains(":") ? "[\(url.host)]" : url.host
      let host = url.port == usualPort ? name : "\(name):\(url.port)"
      let body =
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
        + (try account.assertion(issuedAt: wallSeconds))
      var request = HTTPRequest(
        "POST", url.target, headers: [("Content-Type", "application/x-www-form-urlencoded")], body: Array(body.utf8))
      // Repeating the request is safe, because several tokens may be valid at once.
      request.isRepeatable = true
      let client = HTTPClient(HTTPOrigin(host: host, addresses: addresses), loop: loop, configuration: configuration)
      self.client = client
      state = .asking
      client.send(request) { [weak self] result in self?.answered(result) }
    } catch {
      failed("\(error)")
    }
  }

  private func answered(_ result: Result<HTTPResponse, HTTPClientError>) {
    client?.close()
    client = nil
    switch result {
    case .failure(let error): failed(error.description)
    case .success(let response):
      if let date = response.header("date"), let seconds = HTTPDate.seconds(date) { heardTime?(seconds) }
      let answer = TokenAnswer(response.body)
      switch response.status {
      case 200:
        guard let token = answer.token, (1...FCM.Limits.tokenBytes).contains(token.utf8.count),
          token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return failed("the answer holds no access token") }
        // Reject it; otherwise it would be renewed continuously.
        guard answer.seconds >= FCM.Limits.tokenLifeSeconds.lowerBound else {
          return failed("the access token lives for \(answer.seconds) s only")
        }
        hold(token, seconds: min(answer.seconds, FCM.Limits.tokenLifeSeconds.upperBound))
      case 400, 401, 403: refuse("Google refuses the service account \(account.email): \(answer.error)")
      default: failed("status \(response.status)")
      }
    }
  }

  private func hold(_ next: String, seconds: Int64) {
    state = .idle
    backOff.succeeded()
    token = next
    changedAt = loop.clock.now
    endsAt = loop.clock.now + .seconds(seconds)
    endsAtSeconds = wallSeconds + seconds
    var details: Logger.Metadata = ["account": "\(account.email)", "seconds": .stringConvertible(seconds)]
    if isFaulty { details["fault"] = "\(account.email)" }
    isFaulty = false
    logger.info("access token", metadata: details)
    changed(.present)
  }

  private func failed(_ reason: String) {
    guard state != .waiting else { return }
    state = .waiting
    let wait = backOff.failed(jitter: Double.random(in: 0...1))
    isFaulty = true
    logger.warning(
      "no access token",
      metadata: [
        "account": "\(account.email)", "reason": "\(reason)", "retry": "\(wait)", "fault": "\(account.email)",
      ])
    loop.schedule(after: wait) { [weak self] in
      guard let self, state == .waiting else { return }
      state = .idle
      guard isWanted() else { return }
      _ = present()
    }
    if token == nil || rest <= .zero { changed(.delayed(wait)) }
  }

  /// Handles a refusal by Google: the account is wrong, its key was revoked, or this machine's clock is wrong. Retries
  /// after a while.
  private func refuse(_ reason: String) {
    state = .waiting
    isFaulty = true
    logger.error(
      "a service account is refused",
      metadata: ["account": "\(account.email)", "reason": "\(reason)", "fault": "\(account.email)"])
    loop.schedule(after: .seconds(PushTransport.Limits.faultSeconds)) { [weak self] in
      guard let self else { return }
      fault = nil
      state = .idle
    }
    // Keep using a token that is still valid.
    guard token == nil || rest <= .zero else { return }
    fault = reason
    loop.schedule(after: .zero) { [weak self] in self?.changed(.refused(reason)) }
  }
}

/// The response of a token endpoint (RFC 6749, 5.1 and 5.2).
private struct TokenAnswer {
  var token: String?
  var seconds: Int64 = 0
  var error = ""

  init(_ body: [UInt8]) {
    var found = TokenAnswer()
    var reader = JSONReader(body)
    try? reader.readObject { (reader, name) throws(JSONError) in
      switch name {
      case "access_token": found.token = try reader.readString()
      case "expires_in": found.seconds = try reader.readInteger()
      case "error": found.error = try reader.readString() + found.error
      case "error_description": found.error += " (\(try reader.readString()))"
      default: try reader.skip()
      }
    }
    // Shorten the text, because it is shown, logged and stored with the app.
    found.error = String(found.error.beginning(bytes: FCM.Limits.shownBytes))
    self = found
  }

  private init() {}
}
