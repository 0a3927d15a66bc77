package import Domain
package import JSON
package import Postgres
package import Store
package import Time

/// Lists quarantined devices, whose tokens were refused by their push network, and restores them.
///
/// A quarantined device keeps all its data; audiences count it, but sends skip it. It is also restored when it
/// registers again. Restoring sends nothing: messages skipped in the meantime stay skipped.
package enum QuarantineService {
  package struct Entry: DescribedAnswer {
    package let record: Quarantine.Record

    package static let object = JSONObject<Entry>(
      "Quarantine", isNamed: false,
      [
        .always("device", .device, \.record.device),
        .always("clientUid", .orNull(.anyText), \.record.userKey.clientUID),
        .always("pnsId", .network, \.record.network), .always("environment", .environment, \.record.environment),
        .always("psidPrefix", .anyText, \.tokenPrefix, "The first eight characters of the push token."),
        .always("reason", .anyText, \.record.reason, "In the network's own word."),
        .always("seqno", .sequence, \.record.seqno, "The message that was refused."),
        .always("at", .moment, \.record.at),
      ])

    /// The beginning of the token. Complete tokens are never shown.
    package var tokenPrefix: String { String(record.psid.prefix(Operations.Limits.shownTokenBytes)) }
  }

  /// Lists an app's quarantined devices, ordered by id, and notes in the audit trail that the caller has read them.
  /// - Parameter reason: the only reason to list, spelled as the push network does; nil for all.
  package static func list(
    _ appID: String, reason: String? = nil, _ page: PageRequest, by caller: Caller, on connection: Connection
  ) throws(Problem) -> ItemPage<Entry> {
    let app = try connection.app(appID, allowing: caller, to: .manageQuarantine)
    try AuditTrail.note(.quarantine, of: app.number, by: caller, on: connection)
    let records = try connection.answer(
      Quarantine.list(app.number, after: try page.device(), reason: reason, limit: page.limit + 1))
    return ItemPage(records.map(Entry.init), limit: page.limit) { $0.record.device.description }
  }

  /// The number of devices of one push network that are quarantined for one reason.
  package struct Reason: DescribedAnswer {
    let found: Quarantine.Reason

    package static let object = JSONObject<Reason>(
      "QuarantineReason", isNamed: false,
      [
        .always("reason", .anyText, \.found.reason, "In the network's own word."),
        .always("pnsId", .network, \.found.network), .always("devices", .count, \.found.devices),
        .always("latest", .moment, \.found.latest, "When the newest of them was quarantined."),
      ])
  }

  /// Reasons for which an app's devices are quarantined.
  package struct Reasons: DescribedAnswer {
    package let reasons: [Reason]

    package static let object = JSONObject<Reasons>(
      "QuarantineReasons", [.always("reasons", .list(of: Reason.object.form), \.reasons, "Most frequent first.")])
  }

  package static func reasons(
    _ appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Reasons {
    let app = try connection.app(appID, allowing: caller, to: .manageQuarantine)
    return Reasons(reasons: try connection.answer(Quarantine.reasons(app.number)).map(Reason.init))
  }

  // MARK: Restoring

  /// The devices to restore.
  package enum Scope: Equatable, Sendable {
    case device(DeviceID)
    /// All devices quarantined at or after a time.
    case since(Timestamp)
    /// All devices quarantined for a reason, spelled as the push network does.
    case reason(String)
    case all
  }

  package struct Restored: DescribedAnswer {
    package let count: Int

    package static let object = JSONObject<Restored>(
      "Restored", [.always("restored", .count, \.count, "Devices that came back.")])
  }

  package static func restore(
    _ scope: Scope, of appID: String, by caller: Caller, on connection: Connection
  ) throws(Problem) -> Restored {
    let app = try connection.app(appID, allowing: caller, to: .manageQuarantine)
    let audit: (Int) -> Query<Void>? = { count in
      AuditTrail.add(scope.change(app, count), by: caller)
    }
    switch scope {
    case .device(let device):
      guard let record = try connection.answer(Devices.find([device])).first, record.app == app.number else {
        throw Problem(.unknownDevice, "The app \(appID) has no device \(device).")
      }
      return Restored(count: try release([device], since: .zero, audit: audit, on: connection))
    case .since(let time): return Restored(count: try restore(app, since: time, audit: audit, on: connection))
    case .reason(let reason):
      return Restored(count: try restore(app, since: .zero, reasons: [reason], audit: audit, on: connection))
    case .all: return Restored(count: try restore(app, since: .zero, audit: audit, on: connection))
    }
  }

  /// Restores an app's devices in parts, with one commit per part so that row locks are short.
  /// - Parameters:
  ///   - since: restores only devices quarantined at or after this time.
  ///   - reasons: restores only devices quarantined for one of these reasons; nil for any.
  ///   - audit: returns the audit entry for the number of devices restored in a part; nil for no entry. Not called for
  ///     a part in which none was restored.
  /// - Returns: the number of devices restored.
  static func restore(
    _ app: App, since: Timestamp, reasons: Set<String>? = nil, audit: @escaping (Int) -> Query<Void>? = { _ in nil },
    on connection: Connection
  ) throws(Problem) -> Int {
    var count = 0
    var after = DeviceID(high: 0, low: 0)
    while true {
      let records = try connection.answer(
        Quarantine.list(app.number, after: after, since: since, limit: Operations.Limits.restoredDevices))
      guard let last = records.last else { return count }
      let devices = records.filter { reasons?.contains($0.reason) ?? true }.map(\.device)
      if !devices.isEmpty { count += try release(devices, since: since, audit: audit, on: connection) }
      after = last.device
    }
  }

  /// Restores the devices that were quarantined because their network rejected the former credential for their
  /// environment. Writes no audit entry.
  static func restoreAfterNewCredential(_ app: App, on connection: Connection) throws(Problem) {
    _ = try restore(app, since: .zero, reasons: credentialReasons, on: connection)
  }

  /// Reasons that reject the credential for the device's environment, not the device.
  private static let credentialReasons: Set<String> = [
    "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken", "BadCertificateEnvironment",
  ]

  private static func release(
    _ devices: [DeviceID], since: Timestamp, audit: @escaping (Int) -> Query<Void>?, on connection: Connection
  ) throws(Problem) -> Int {
    try connection.commit { () throws(PostgresError) in
      // Lock in key order, as all writers of devices do.
      _ = try connection.run(Devices.lock(devices))
      let count = try connection.run(Quarantine.release(devices, since: since))
      // Each part has its own commit and its own audit entry.
      if count > 0, let entry = audit(count) { try connection.run(entry) }
      return count
    }
  }
}

extension QuarantineService.Scope {
  fileprivate func change(_ app: App, _ count: Int) -> AuditTrail.Change {
    let object =
      switch self {
      case .device(let device): device.description
      case .since(let time): "since \(time.description)"
      case .reason(let reason): "reason \(reason)"
      case .all: "all"
      }
    return AuditTrail.Change("quarantine.restore", object, in: app).to { $0.member("restored", count) }
  }
}

extension Operations.Limits {
  /// Maximum number of devices restored per commit.
  static let restoredDevices = 1000
}
