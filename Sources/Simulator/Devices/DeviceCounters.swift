internal import Synchronization

/// What the virtual devices have done and met so far.
package struct DeviceCounters: Codable, Equatable, Sendable {
  package var devices: Int
  /// Registrations answered 200 or 201.
  package var registered = 0
  /// Registrations refused for good; see `lastProblem`.
  package var registrationsFailed = 0
  /// Pushes that arrived.
  package var received = 0
  /// Of those, pushes without `pushkey` (badge-only ones of the server, or other providers'): nothing to confirm.
  package var unconfirmable = 0
  /// Pushes to devices that are switched off.
  package var off = 0
  /// Alerts that no code of the app has seen: they do not start the extension, and the app was not in front.
  package var unseen = 0
  /// Silent pushes, which nobody confirms.
  package var silent = 0
  /// Receipts answered `recorded`.
  package var confirmed = 0
  /// Reads answered `recorded`.
  package var read = 0
  /// Confirmations answered with anything else, by that word or by the HTTP status.
  package var failed: [String: Int] = [:]
  /// Receipts and reads that wait or are under way.
  package var waiting = 0
  /// Requests sent again: after 503 or 429, and after a lost connection.
  package var retriesBusy = 0
  package var retriesLost = 0
  /// The last unexpected answer or error, for people.
  package var lastProblem: String?

  package init(devices: Int) {
    self.devices = devices
  }

  /// Of several platforms together; nil of none.
  static func sum(_ parts: [DeviceCounters]) -> DeviceCounters? {
    guard var total = parts.first else { return nil }
    for part in parts.dropFirst() {
      total.devices += part.devices
      total.registered += part.registered
      total.registrationsFailed += part.registrationsFailed
      total.received += part.received
      total.unconfirmable += part.unconfirmable
      total.off += part.off
      total.unseen += part.unseen
      total.silent += part.silent
      total.confirmed += part.confirmed
      total.read += part.read
      total.failed.merge(part.failed, uniquingKeysWith: +)
      total.waiting += part.waiting
      total.retriesBusy += part.retriesBusy
      total.retriesLost += part.retriesLost
      total.lastProblem = part.lastProblem ?? total.lastProblem
    }
    return total
  }
}

/// The counters where other threads can see them; written once a turn.
final class DeviceScoreboard: Sendable {
  private let published: Mutex<DeviceCounters>

  init(devices: Int) {
    published = Mutex(DeviceCounters(devices: devices))
  }

  var counters: DeviceCounters { published.withLock { $0 } }

  func publish(_ counters: DeviceCounters) {
    published.withLock { $0 = counters }
  }
}
