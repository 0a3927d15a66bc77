internal import Domain
internal import Logging
internal import Reactor

/// Rate limits on registrations of unknown devices: per address and app, and per app in total. Without them, anyone who
/// extracts an app's client key could fill the database with nonexistent devices. Known devices are never counted and
/// can register without limit.
///
/// Each HTTP loop has its own instance, with its share of the node's limits, and uses it only on its own thread.
/// Nothing is persisted. Decision 033.
package final class NewDevices {
  /// Devices per hour, nil for no limit. A burst may use the whole hour's allowance.
  package struct Rates: Sendable {
    /// Limit per address and app. Many phones of a mobile network share an address, but hardly a thousand of them
    /// install the same app within an hour.
    package var perAddress: Int? = 1_000
    /// Limit per app: enough for ten million customers of a bank to come back within a day.
    package var perApp: Int? = 1_000_000

    package init() {}
  }

  /// Origin of a new device's registration: app and address.
  package struct Source: Hashable, Sendable {
    let app: App.Number
    /// Client address; nil counts the device for the app alone.
    let address: IPAddress?
  }

  private let perAddress: RateAllowance?
  private let perApp: RateAllowance?
  /// When each source's allowance is full again, in nanoseconds of the monotonic clock.
  private var sources: [Source: Int64] = [:]
  private var apps: [App.Number: Int64] = [:]
  /// Number of sources above which those with a full allowance are removed.
  private var sweepCount = Operations.Limits.rememberedSources
  private var quietUntil: Instant?
  private var refusals = 0
  private let log = Logger(label: "registrations")

  package init(_ rates: Rates = Rates()) {
    perAddress = rates.perAddress.map { RateAllowance($0, per: .seconds(3600), credit: .seconds(3600)) }
    perApp = rates.perApp.map { RateAllowance($0, per: .seconds(3600), credit: .seconds(3600)) }
  }

  /// Counts a new device against both limits. A refused device counts against neither.
  /// - Parameter origin: the address to count under; nil counts for the app alone.
  /// - Returns: `.tooManyRequests` with the time to wait, after counting and logging the refusal; nil if the device may
  ///   register.
  func refusal(of app: App, from origin: IPAddress?, now: Instant) -> Problem? {
    if let perAddress, let origin {
      let source = Source(app: app.number, address: origin)
      var theoreticalArrival = sources[source] ?? 0
      guard perAddress.take(&theoreticalArrival, now: now) else {
        tell(app, origin, now)
        return Self.problem(
          "Too many new devices of \(app.appID) have registered from this address. Devices that are known are served.",
          wait: perAddress.wait(theoreticalArrival, now: now))
      }
      sources[source] = theoreticalArrival
      if sources.count > sweepCount { sweep(now) }
    }
    if let perApp, !perApp.take(&apps[app.number, default: 0], now: now) {
      if let origin, let perAddress {
        perAddress.refund(&sources[Source(app: app.number, address: origin), default: 0])
      }
      tell(app, nil, now)
      return Self.problem(
        "Too many new devices of \(app.appID) have registered in the last hour. Devices that are known are served.",
        wait: perApp.wait(apps[app.number] ?? 0, now: now))
    }
    return nil
  }

  /// Refunds the allowance of devices that `refusal` admitted but that were not stored, because their batch failed.
  package func refund(_ admitted: [Source]) {
    for source in admitted {
      if source.address != nil, sources[source] != nil { perAddress?.refund(&sources[source, default: 0]) }
      if apps[source.app] != nil { perApp?.refund(&apps[source.app, default: 0]) }
    }
  }

  private static func problem(_ detail: Sentence, wait: Duration) -> Problem {
    var problem = Problem(.tooManyRequests, detail)
    problem.retryAfterSeconds = Int(wait.components.seconds) + 1
    return problem
  }

  /// Returns the number of devices refused since the last call of this function, and resets it.
  package func takeRefusals() -> Int {
    defer { refusals = 0 }
    return refusals
  }

  /// Counts a refusal, and logs it if none was logged within the last `refusalLogInterval`.
  /// - Parameter origin: the address with too many new devices; nil if the whole app has too many.
  private func tell(_ app: App, _ origin: IPAddress?, _ now: Instant) {
    refusals += 1
    guard quietUntil.map({ now >= $0 }) ?? true else { return }
    quietUntil = now + Operations.Limits.refusalLogInterval
    log.warning(
      "new devices are refused: see UPMC_NEW_DEVICES_PER_ADDRESS and UPMC_NEW_DEVICES_PER_APP",
      metadata: ["app": "\(app.appID)", "address": "\(origin.map(\.description) ?? "any")"])
  }

  /// Evicts sources whose allowance is full again, and sets the number of sources at which to do so next.
  private func sweep(_ now: Instant) {
    sources = sources.filter { $0.value > now.nanoseconds }
    sweepCount = max(Operations.Limits.rememberedSources, 2 * sources.count)
  }
}
