internal import Synchronization

/// Counters of what the virtual devices have done and observed.
package struct DeviceCounters: Codable, Equatable, Sendable {
  package var devices: Int
  /// Registrations that succeeded.
  package var registered = 0
  /// Registrations that the server refused for good; see `lastProblem`.
  package var registrationsFailed = 0
  /// Number of pushes received.
  package var received = 0
  /// Received pushes without a `pushkey`, which cannot be confirmed: badge updates, or pushes of other providers.
  package var unconfirmable = 0
  /// Number of pushes to devices that are switched off.
  package var off = 0
  /// Alerts that the SDK did not see, because they do not start the extension and the app was not in the foreground.
  package var unseen = 0
  /// Silent pushes, which are not confirmed.
  package var silent = 0
  /// Receipts answered with `recorded`.
  package var confirmed = 0
  /// Reads answered with `recorded`.
  package var read = 0
  /// Confirmations with another result, by its status word, or by the HTTP status of the response.
  package var failed: [String: Int] = [:]
  /// Receipts and reads that are waiting or being sent.
  package var waiting = 0
  /// Requests repeated after 503 or 429.
  package var retriesBusy = 0
  /// Requests repeated after a lost connection or a timeout.
  package var retriesLost = 0
  /// The last unexpected response or error, for people to read.
  package var lastProblem: String?

  package init(devices: Int) {
    self.devices = devices
  }

  /// Returns the sum of the counters of several platforms; nil if there are none.
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

/// Publishes the counters to other threads, once per loop iteration.
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
