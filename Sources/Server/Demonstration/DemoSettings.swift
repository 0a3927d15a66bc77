internal import FoundationEssentials
internal import Postgres
internal import Reactor

/// The settings of a running demonstration, stored for commands that use its database. Without them, `upmc doctor`
/// would ask Apple and Google about keys that only the simulator knows.
package enum DemoSettings {
  private static let name = "demo-settings"

  /// Returns the environment variables of the demonstration that runs on a data directory; nil when none does.
  package static func load(_ directory: String) -> [String: String]? {
    guard let bytes = RegularFile.open(path: "\(directory)/\(name)")?.read() else { return nil }
    var settings: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { settings[String(parts[0])] = String(parts[1]) }
    }
    // The file of a demonstration that was killed is still there.
    guard let process = settings.removeValue(forKey: "process"), FileStatus("/proc/\(process)") != nil else {
      return nil
    }
    return settings
  }

  static func save(_ server: Configuration) throws {
    var lines = [
      "process=\(ProcessInfo.processInfo.processIdentifier)",
      "UPMC_APNS_PRODUCTION_URL=\(url(server.apnsProduction))", "UPMC_APNS_SANDBOX_URL=\(url(server.apnsSandbox))",
      "UPMC_APNS_CHANNELS_PRODUCTION_URL=\(url(server.apnsChannelsProduction))",
      "UPMC_APNS_CHANNELS_SANDBOX_URL=\(url(server.apnsChannelsSandbox))",
      "UPMC_FCM_URL=\(url(server.fcm))",
      // No proxy, because everything runs on this machine.
      "UPMC_PROXY_URL=", "UPMC_PROXY_URL_FILE=",
    ]
    if let url = server.fcmTokenURL { lines.append("UPMC_FCM_TOKEN_URL=\(url)") }
    if let file = server.caFile { lines.append("UPMC_CA_FILE=\(file)") }
    if let address = server.publicURL { lines.append("UPMC_PUBLIC_URL=\(address)") }
    remove(server)
    _ = try PrivateFile.create("\(server.dataDirectory)/\(name)", Array((lines.joined(separator: "\n") + "\n").utf8))
  }

  static func remove(_ server: Configuration) {
    try? FileManager.default.removeItem(atPath: "\(server.dataDirectory)/\(name)")
  }

  private static func url(_ address: Configuration.ServiceAddress) -> String {
    "https://\(address.host.contains(":") ? "[\(address.host)]" : address.host):\(address.port)"
  }
}
