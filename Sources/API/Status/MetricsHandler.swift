internal import Domain
package import HTTPServer
package import Metrics
package import Operations

/// Serves `/metrics` in the text format of Prometheus.
///
/// The numbers cover all apps, so on the public address they require an API key with access to all apps. At their own
/// address (`UPMC_METRICS_LISTEN`), anyone who can connect may read them.
package final class MetricsHandler {
  private let metrics: Metrics
  /// Verifies API keys; nil if requests need no key.
  private let catalog: Catalog?

  package init(metrics: Metrics, catalog: Catalog?) {
    self.metrics = metrics
    self.catalog = catalog
  }

  package static func handles(_ request: Request) -> Bool { request.pathEquals("/metrics") }

  package func handle(_ request: Request, _ responder: Responder) {
    guard request.method == .get || request.method == .head else {
      return responder.send(.methodNotAllowed([.get, .head], requestID: request.id, in: request.language))
    }
    if let problem = objection(request) { return responder.send(problem, requestID: request.id, in: request.language) }
    responder.send(
      status: .ok, contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(metrics.text().utf8))
  }

  private func objection(_ request: Request) -> Problem? {
    guard let catalog else { return nil }
    guard let token = request.bearerToken else {
      return Problem(.noCredential, "Send \"Authorization: Bearer <API key>\", or ask at UPMC_METRICS_LISTEN.")
    }
    guard let caller = catalog.caller(apiKey: token) else {
      return Problem(.badCredential, "This API key is not known, or was revoked. Make one with `upmc key create`.")
    }
    guard caller.app == nil, caller.role.allows(.viewMessages) else {
      return Problem(.forbidden, "This API key is for one app; the metrics tell about all of them.")
    }
    return nil
  }
}
