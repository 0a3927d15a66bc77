internal import HTTPServer

/// The list of all endpoints.
extension Endpoint {
  /// All endpoints, in the order of the description. A new file's list of endpoints is added here.
  static let all: [Endpoint] =
    devices + deviceUser + deviceGroups + deviceBadge + deviceInbox + deviceConsent + deviceTokens + deviceMessages
    + confirmations
    + messages + uploads + storedUploads + testGroups + reports + control + messageLists + messageRecords + statistics
    + rankings
    + tags + segments + files
    + groups + groupTree
    + people + quarantine + apps + appDeletions + channels + credentials + apiKeys + audit + sessions + secondFactor
    + openID
    + accounts + adRules
    + webhooks + saved + approvals + imports + exports + controllers + serverState + server

  /// Endpoints of the device API: they run on an HTTP loop, and its committer batches their operations. Calls of the
  /// existing SDK (`.controller`) are not included, because `LegacyHandler` routes them.
  static let ofDevices = all.filter { if case .device = $0.handler { true } else { false } }

  /// Endpoints of the admin API: they run on an admin thread with its own connection, except sends to named users,
  /// which `DirectSendHandler` can handle on the HTTP loop.
  static let ofAdmin = all.filter { endpoint in
    switch endpoint.handler {
    case .whole, .pieces: true
    case .device, .controller, .own: false
    }
  }

  static func router(_ endpoints: [Endpoint]) -> Router<Endpoint> {
    var router = Router<Endpoint>()
    for endpoint in endpoints { router.add(endpoint.method, endpoint.pattern, endpoint) }
    return router
  }
}
