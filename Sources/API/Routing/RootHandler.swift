internal import Domain
package import HTTPServer
package import Metrics
package import Operations
package import Reactor

/// Routes each request to the handler of its path. There is one per HTTP loop.
package final class RootHandler: RequestHandler {
  private let devices: DeviceHandler
  private let sdk: LegacyHandler
  private let admin: AdminHandler
  private let health: HealthHandler
  private let metrics: MetricsHandler
  private let hosted: HostedHandler
  private let document: DocumentHandler
  private let console: ConsoleHandler?

  /// Creates the handler of one HTTP loop.
  /// - Parameters:
  ///   - batchesSends: whether sends to named users through `/v1/admin/messages` share the committer's transactions
  ///     instead of waiting for an admin thread.
  ///   - publicDirectory: path of the console's files. If it is nil or does not exist, the console is not served.
  ///   - handbook: the pages shown at `/docs`.
  ///   - messageCommitted: called on an admin thread after it has stored a message for a call of the existing SDK.
  package init(
    committer: Committer, threads: AdminThreads, hosted: HostedLoader, catalog: Catalog, keys: SigningKeys,
    hosting: ContentHosting, legacy: LegacyConfiguration, batchesSends: Bool, publicDirectory: String?,
    handbook: Handbook, readiness: any ReadinessReport, metrics: Metrics, loop: EventLoop,
    messageCommitted: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    devices = DeviceHandler(committer: committer, catalog: catalog, keys: keys, loop: loop)
    sdk = LegacyHandler(
      committer: committer, threads: threads, hosting: hosting, catalog: catalog, keys: keys, configuration: legacy,
      loop: loop, messageCommitted: messageCommitted)
    admin = AdminHandler(
      threads, namedSends: batchesSends ? DirectSendHandler(catalog: catalog, committer: committer) : nil)
    health = HealthHandler(
      isConnected: { committer.isConnected && !committer.isStalled }, isOutOfRoom: { committer.isOutOfRoom },
      readiness: readiness)
    self.metrics = MetricsHandler(metrics: metrics, catalog: catalog)
    self.hosted = try HostedHandler(loader: hosted, loop: loop)
    document = DocumentHandler(handbook)
    console = publicDirectory.flatMap { ConsoleHandler($0, clock: loop.clock) }
  }

  package func handle(_ request: Request, _ responder: Responder) {
    // Check the most frequent paths first, to save comparisons.
    if request.pathEquals("/v1/receipts") { return pass(request, to: .receipts) { devices.handle(request, responder) } }
    if request.pathEquals("/v1/reads") { return pass(request, to: .reads) { devices.handle(request, responder) } }
    if HealthHandler.handles(request) { return pass(request, to: .server) { health.handle(request, responder) } }
    if HostedHandler.handles(request) { return pass(request, to: .pages) { hosted.handle(request, responder) } }
    if LegacyHandler.isLegacyPath(request) { return pass(request, to: .sdk) { sdk.handle(request, responder) } }
    if MetricsHandler.handles(request) { return pass(request, to: .server) { metrics.handle(request, responder) } }
    if document.serves(request) { return pass(request, to: .server) { document.handle(request, responder) } }
    if Self.isForAdmin(request) { return pass(request, to: .admin) { admin.handle(request, responder) } }
    guard let console, !Self.hasVersion(request.path) else {
      return pass(request, to: .devices) { devices.handle(request, responder) }
    }
    pass(request, to: .files) { responder.send(console.response(to: request)) }
  }

  /// Records the request's kind for metrics, and handles the request.
  private func pass(_ request: Request, to api: APIKind, _ handle: () -> Void) {
    request.kind = api.rawValue
    handle()
  }

  /// Returns the maximum size of the request's body in bytes. Only authenticated callers and servers with trusted
  /// addresses may send more than `standard`, for example lists of recipients.
  package func bodyLimit(for request: Request, standard: Int) -> Int {
    if LegacyHandler.isLegacyPath(request) { return sdk.bodyLimit(for: request, standard: standard) }
    if Self.isForAdmin(request) { return admin.bodyLimit(for: request, standard: standard) }
    return devices.bodyLimit(for: request, standard: standard)
  }

  package func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool {
    guard Self.isForAdmin(request) else { return false }
    // Set the kind here too, because the request may be answered without `pass` being called.
    request.kind = APIKind.admin.rawValue
    return admin.holdsBody(of: request, ticket)
  }

  package func spoolsBody(of request: Request) -> Bool {
    Self.isForAdmin(request) && admin.spoolsBody(of: request)
  }

  /// Returns whether a path begins with a version of the API, whether or not that version exists: `/v1/…`, `/v2`.
  private static func hasVersion(_ path: String) -> Bool {
    let digits = path.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
    guard path.hasPrefix("/v"), !digits.isEmpty else { return false }
    return path[digits.endIndex...].isEmpty || path[digits.endIndex] == "/"
  }

  private static func isForAdmin(_ request: Request) -> Bool {
    let path = request.path
    return path.hasPrefix("/v1/admin/") || path == "/v1/admin"
  }
}

/// The kinds of requests that metrics distinguish. The raw value is `Request.kind`, and the index into `names`.
package enum APIKind: UInt8, CaseIterable {
  /// `none` is the kind of a request that no handler was called for, for example because it was malformed.
  case none, receipts, reads, devices, sdk, admin, pages, server, files

  package static let names = allCases.map { "\($0)" }
}
