internal import Domain

/// Limits the number of events in flight, per app and in total, so that no app can use up the capacity of others.
struct Shares {
  private var ofApp: [App.Number: Int] = [:]
  private var all = 0

  /// Returns the number of further events that may be sent for an app.
  func room(for app: App.Number) -> Int {
    max(0, min(WebhookDeliveryLimits.underWayOfOneApp - ofApp[app, default: 0], WebhookDeliveryLimits.underWay - all))
  }

  mutating func began(_ app: App.Number) {
    ofApp[app, default: 0] += 1
    all += 1
  }

  mutating func ended(_ app: App.Number) {
    all -= 1
    let rest = ofApp[app, default: 0] - 1
    ofApp[app] = rest > 0 ? rest : nil
  }
}
