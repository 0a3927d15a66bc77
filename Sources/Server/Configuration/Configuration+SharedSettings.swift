internal import API
internal import Dispatcher
internal import JSON
internal import Operations

/// The settings that should be the same on all nodes of a database.
extension Configuration {
  /// The settings that affect all nodes, as a JSON object with a text for each variable, including defaults. They are
  /// not secret: nodes store them, and the doctor and the log show those that differ.
  package var sharedSettings: String {
    let roles = console.secondFactor.map(\.rawValue).sorted()
    let settings: [(String, String)] = [
      ("UPMC_PUBLIC_URL", publicURL ?? "none"),
      ("UPMC_APNS_PRODUCTION_URL", "\(apnsProduction.host):\(apnsProduction.port)"),
      ("UPMC_APNS_SANDBOX_URL", "\(apnsSandbox.host):\(apnsSandbox.port)"),
      ("UPMC_FCM_URL", "\(fcm.host):\(fcm.port)"), ("UPMC_FCM_QUOTA", String(fcmMessagesPerMinute)),
      ("UPMC_FCM_VALIDATE_ONLY", String(fcmValidatesOnly)),
      ("UPMC_SECOND_FACTOR", roles.isEmpty ? "none" : roles.joined(separator: ",")),
      ("UPMC_KEEP_HISTORY_DAYS", String(keeping.historyDays ?? 0)),
      ("UPMC_KEEP_MESSAGES_DAYS", String(keeping.messageDays ?? 0)),
      ("UPMC_CTL_AUTHORIZATION", sdk.requiresKeys ? "on" : "off"),
    ]
    var writer = JSONWriter()
    writer.object { writer in
      for (name, value) in settings { writer.member(name, value) }
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
