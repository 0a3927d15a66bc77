package import Domain
package import Dispatcher
package import HTTPClient
package import Operations
package import Reactor
package import API

/// The server's settings, from `UPMC_…` environment variables.
package struct Configuration: Sendable {
  /// An invalid environment variable: one sentence that names it and says why.
  package struct Mistake: Error, CustomStringConvertible, Sendable {
    package let description: String
  }

  package var listenHost = "0.0.0.0"
  package var listenPort: UInt16 = 8080
  package var listening = Listening()
  package var metricsListen: (String, UInt16)?
  package var databaseURL: String?
  package var dataDirectory = ".upmc"
  package var masterKey: String?
  package var masterKeyFile: String?
  package var publicURL: String?
  package var apnsProduction = ServiceAddress(host: "api.push.apple.com", port: 443)
  package var apnsSandbox = ServiceAddress(host: "api.sandbox.push.apple.com", port: 443)
  package var apnsChannelsProduction = ServiceAddress(host: "api-manage-broadcast.push.apple.com", port: 2196)
  package var apnsChannelsSandbox = ServiceAddress(host: "api-manage-broadcast.sandbox.push.apple.com", port: 2195)
  package var fcm = ServiceAddress(host: "fcm.googleapis.com", port: 443)
  package var fcmTokenURL: String?
  /// The address at which access tokens for FCM are obtained.
  package var tokenAddress: TokenAddress { TokenAddress(configured: fcmTokenURL) }
  package var fcmMessagesPerMinute = 600_000
  package var fcmValidatesOnly = false
  package var caFile: String?
  package var command = "upmc"
  package var logLevel = "info"
  package var logFormat = LogFormat.text
  package var logsAccess = false
  package var migrationsDirectory: String?
  package var publicDirectory: String?
  package var webhookNetworks: [IPBlock] = []
  /// The proxy for all outgoing calls; nil for direct connections.
  package var proxy: OutboundProxy?
  var proxyVariables = ProxyVariables()
  /// The rules for signing in to the console.
  package var console = ConsolePolicy()
  /// The identity provider for console sign-in; nil if there is none.
  package var openID: OpenIDSettings?
  var openIDVariables = OpenIDVariables()
  /// The settings of the export of spans and metrics; nil to export nothing.
  package var export: Export?
  var exportWords = ExportWords()
  package var keeping = RetentionPolicy()
  package var commandLine = CommandLine()

  /// The settings of the API for apps built with the existing SDK.
  package var sdk = LegacyConfiguration()

  package var benchmarkOverrides = BenchmarkOverrides()

  package enum LogFormat: String, Sendable {
    case text, json
  }

  /// The host and port of a URL.
  package struct ServiceAddress: Equatable, Sendable {
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
      self.host = host
      self.port = port
    }
  }

  package init() {}

  /// Reads the environment. An unknown variable that begins with `UPMC_` is an error, because it is probably
  /// misspelled.
  package init(environment: [String: String]) throws(Mistake) {
    for (name, value) in environment.sorted(by: { $0.key < $1.key }) where Self.isOurs(name, value) {
      try set(name, value)
    }
    if masterKey != nil, masterKeyFile != nil {
      throw Mistake(description: "UPMC_MASTER_KEY and UPMC_MASTER_KEY_FILE are both set. Keep one.")
    }
    try listening.check()
    try checkKeeping()
    proxy = try readProxy()
    openID = try readOpenID()
    export = try readExport()
  }

  private mutating func set(_ name: String, _ value: String) throws(Mistake) {
    let given = value.isEmpty ? nil : value
    switch name {
    case "UPMC_LISTEN": (listenHost, listenPort) = try Self.address(name, value)
    case "UPMC_METRICS_LISTEN": metricsListen = try given.map { given throws(Mistake) in try Self.address(name, given) }
    case "UPMC_DATABASE_URL": databaseURL = given
    case "UPMC_DATA_DIR": dataDirectory = given ?? dataDirectory
    case "UPMC_MASTER_KEY": masterKey = given
    case "UPMC_MASTER_KEY_FILE": masterKeyFile = given
    case "UPMC_PUBLIC_URL": publicURL = try given.map { given throws(Mistake) in try Self.publicURL(name, given) }
    case "UPMC_APNS_PRODUCTION_URL": apnsProduction = try Self.service(name, value)
    case "UPMC_APNS_SANDBOX_URL": apnsSandbox = try Self.service(name, value)
    case "UPMC_APNS_CHANNELS_PRODUCTION_URL": apnsChannelsProduction = try Self.service(name, value)
    case "UPMC_APNS_CHANNELS_SANDBOX_URL": apnsChannelsSandbox = try Self.service(name, value)
    case "UPMC_FCM_URL": fcm = try Self.service(name, value)
    case "UPMC_FCM_TOKEN_URL": fcmTokenURL = try Self.url(name, value)
    case "UPMC_FCM_QUOTA": fcmMessagesPerMinute = try Self.quota(name, value)
    case "UPMC_FCM_VALIDATE_ONLY": fcmValidatesOnly = try Self.flag(name, value)
    case "UPMC_CA_FILE": caFile = given
    case "UPMC_COMMAND": command = given ?? command
    case "UPMC_LOG_LEVEL": logLevel = try Self.level(name, value)
    case "UPMC_LOG_FORMAT": logFormat = try Self.format(name, value)
    case "UPMC_ACCESS_LOG": logsAccess = try Self.flag(name, value)
    case "UPMC_WEBHOOK_PRIVATE": webhookNetworks = try Listening.blocks(name, value)
    case "UPMC_MIGRATIONS_DIR": migrationsDirectory = given
    case "UPMC_PUBLIC_DIR": publicDirectory = given
    case "UPMC_CTL_CONTEXT", "UPMC_CTL_AUTHORIZATION", "UPMC_CTL_TRUSTED_SENDERS": try setSDK(name, value)
    default:
      if try listening.set(name, value) { return }
      if try setKeeping(name, value) { return }
      if try setProxy(name, value) { return }
      if setCommandLine(name, value) { return }
      if try setConsole(name, value) { return }
      if try setExport(name, value) { return }
      let known = Self.variables.map(\.name).joined(separator: ", ")
      throw Mistake(description: "\(name) is not a variable of UPMC. Known are: \(known).")
    }
  }

  /// Parses `host:port`, `[v6]:port` or `:port`.
  static func address(_ name: String, _ value: String) throws(Mistake) -> (String, UInt16) {
    guard let colon = value.lastIndex(of: ":"), let port = UInt16(value[value.index(after: colon)...]) else {
      throw Mistake(description: "\(name)=\(value) is no address. Write host:port, for example 0.0.0.0:8080.")
    }
    var host = String(value[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    return (host, port)
  }

  /// Parses `https://host` with an optional port and path, and removes a trailing slash. `http://` is accepted too.
  static func publicURL(_ name: String, _ value: String) throws(Mistake) -> String {
    var text = value[...]
    while text.hasSuffix("/") { text = text.dropLast() }
    let rest = text.hasPrefix("https://") ? text.dropFirst(8) : text.hasPrefix("http://") ? text.dropFirst(7) : ""
    let isPlain = rest.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"\"<>?#@|%\\".utf8.contains($0) }
    guard let first = rest.first, first != "/", isPlain, text.utf8.count <= 200 else {
      throw Mistake(
        description:
          "\(name)=\(value) is no address of this server. Write https://host, with a port or a path if needed.")
    }
    return String(text)
  }

  static func service(_ name: String, _ value: String) throws(Mistake) -> ServiceAddress {
    let refusal = Mistake(
      description: "\(name)=\(value) is no address of a service. Write https://host or https://host:port.")
    guard value.hasPrefix("https://") else { throw refusal }
    var rest = value.dropFirst("https://".count)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard !rest.isEmpty, !rest.contains("/"), !rest.contains("@") else { throw refusal }
    guard rest.contains(":"), !rest.hasSuffix("]") else {
      let host = rest.hasPrefix("[") ? rest.dropFirst().dropLast() : rest
      return ServiceAddress(host: String(host), port: 443)
    }
    do {
      let (host, port) = try address(name, String(rest))
      return ServiceAddress(host: host, port: port)
    } catch {
      throw refusal
    }
  }

  private static func url(_ name: String, _ value: String) throws(Mistake) -> String? {
    if value.isEmpty { return nil }
    guard HTTPURL(value) != nil else {
      throw Mistake(description: "\(name)=\(value) is no URL. Write https://host/path.")
    }
    return value
  }

  private static func quota(_ name: String, _ value: String) throws(Mistake) -> Int {
    guard let quota = Int(value), (60...60_000_000).contains(quota) else {
      throw Mistake(description: "\(name)=\(value) is no quota. Write messages a minute, from 60 to 60000000.")
    }
    return quota
  }

  private static func flag(_ name: String, _ value: String) throws(Mistake) -> Bool {
    guard ["true", "false"].contains(value) else {
      throw Mistake(description: "\(name)=\(value) is neither true nor false.")
    }
    return value == "true"
  }

  private static func level(_ name: String, _ value: String) throws(Mistake) -> String {
    let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
    guard levels.contains(value) else {
      throw Mistake(description: "\(name)=\(value) is no log level. Use \(levels.joined(separator: ", ")).")
    }
    return value
  }

  private static func format(_ name: String, _ value: String) throws(Mistake) -> LogFormat {
    guard let format = LogFormat(rawValue: value) else {
      throw Mistake(description: "\(name)=\(value) is no log format. Use text or json.")
    }
    return format
  }
}
