package import HTTPServer
package import Operations
package import Reactor

/// How the server listens: TLS, limits, and the proxies in front of it.
package struct Listening: Sendable {
  /// Descriptors reserved for everything but clients: databases, connections to Apple, files.
  static let keptDescriptors = 256

  /// With fewer descriptors nothing is left for clients.
  static let leastDescriptors = keptDescriptors + 2 * HTTPLimits.refusals

  static let variables: [Configuration.Variable] = [
    variable(
      "UPMC_TLS_CERTIFICATE", "",
      "PEM file with the server's certificate and its chain: the server then speaks HTTPS; read again on SIGHUP"),
    variable("UPMC_TLS_KEY", "(in the certificate's file)", "PEM file with its private key"),
    variable("UPMC_MAX_CONNECTIONS", "20000", "open connections; those beyond it are refused with 503"),
    variable(
      "UPMC_CONNECTIONS_PER_ADDRESS", "1000",
      "open connections of one client address, refused with 429 beyond it; 0 for no limit"),
    variable(
      "UPMC_REQUESTS_PER_ADDRESS", "1000",
      "requests a second of one client address, refused with 429 beyond it; 0 for no limit"),
    variable(
      "UPMC_NEW_DEVICES_PER_ADDRESS", "1000",
      "new devices an hour of one client address and app, refused with 429 beyond it; 0 for no limit"),
    variable(
      "UPMC_NEW_DEVICES_PER_APP", "1000000", "the same of one app, from wherever they come; 0 for no limit"),
    variable(
      "UPMC_TRUSTED_PROXIES", "",
      "addresses or CIDR blocks of the proxies before this server, with commas: they name their clients"),
    variable(
      "UPMC_FORWARDED_HEADER", "x-forwarded-for",
      "header in which trusted proxies name their clients: x-forwarded-for or forwarded"),
    variable(
      "UPMC_PROXY_PROTOCOL", "off",
      "on: trusted proxies begin each connection with the PROXY protocol, version 2"),
  ]

  private static func variable(_ name: String, _ standard: String, _ meaning: String) -> Configuration.Variable {
    Configuration.Variable(name: name, standard: standard, meaning: meaning)
  }

  package var certificateFile: String?
  /// Nil when the key is in the certificate's file.
  package var keyFile: String?
  /// For all loops together.
  package var connections = 20_000
  /// Many clients of a mobile network share an address, so both limits are far above what one client needs; they keep
  /// one address from taking everything.
  package var connectionsPerAddress: Int? = 1_000
  package var requestsPerAddress: Int? = 1_000
  /// On each node.
  package var newDevices = NewDevices.Rates()
  package var trustedProxies: [IPBlock] = []
  package var forwardedHeader = Forwarding.Header.xForwardedFor
  package var expectsProxyHeader = false

  package init() {}

  /// Engine configuration for one of `loops` loops; limits are divided evenly, as the kernel divides connections.
  ///
  /// Idle connections get half of the memory, bodies a quarter and answers an eighth. Together with everything else
  /// that stays within the limit, so a server with little memory refuses some requests instead of being killed.
  /// - Parameters:
  ///   - descriptors: limit of this process.
  ///   - memoryBytes: memory limit of this process.
  ///   - spoolDirectory: for uploads; nil: in memory.
  func engine(
    loops: Int, descriptors: Int, memoryBytes: Int, spoolDirectory: String? = nil
  ) -> HTTPServer.Configuration {
    func share(_ limit: Int) -> Int { Self.share(limit, of: loops) }
    var engine = HTTPServer.Configuration()
    let describable = descriptors - Self.keptDescriptors - loops * HTTPLimits.refusals
    engine.connections = share(max(loops, min(connections, describable, fitting(memoryBytes))))
    engine.connectionsPerAddress = connectionsPerAddress.map(share)
    engine.requestsPerAddress = requestsPerAddress.map(share)
    engine.bodyMemoryBytes = share(min(HTTPLimits.bodyMemoryBytes, memoryBytes / 4))
    engine.outputMemoryBytes = share(min(HTTPLimits.allOutputBytes, memoryBytes / 8))
    engine.spoolBytes = share(HTTPLimits.spoolBytes)
    engine.spoolDirectory = spoolDirectory
    engine.trustedProxies = trustedProxies
    engine.forwardedHeader = forwardedHeader
    engine.expectsProxyHeader = expectsProxyHeader
    return engine
  }

  /// Bytes that a health check must send before its request: the PROXY protocol, if it comes from a trusted proxy.
  /// - Parameter address: the health check's source.
  package func probePreamble(from address: IPAddress) -> [UInt8] {
    expectsProxyHeader && trustedProxies.contains { $0.contains(address) } ? ProxyHeader.local : []
  }

  /// Idle connections that fit into their part of the memory.
  package func fitting(_ memoryBytes: Int) -> Int {
    memoryBytes / 2 / (certificateFile == nil ? HTTPLimits.connectionBytes : HTTPLimits.secureConnectionBytes)
  }

  /// Rates of new devices for one of `loops` loops.
  func newDevices(loops: Int) -> NewDevices.Rates {
    var rates = newDevices
    rates.perAddress = rates.perAddress.map { Self.share($0, of: loops) }
    rates.perApp = rates.perApp.map { Self.share($0, of: loops) }
    return rates
  }

  private static func share(_ limit: Int, of loops: Int) -> Int { max(1, (limit + loops - 1) / loops) }

  // MARK: From the environment

  /// Returns false when the variable is not one of these.
  mutating func set(_ name: String, _ value: String) throws(Configuration.Mistake) -> Bool {
    switch name {
    case "UPMC_TLS_CERTIFICATE": certificateFile = value.isEmpty ? nil : value
    case "UPMC_TLS_KEY": keyFile = value.isEmpty ? nil : value
    case "UPMC_MAX_CONNECTIONS": connections = try Self.number(name, value, least: 1)
    case "UPMC_CONNECTIONS_PER_ADDRESS": connectionsPerAddress = try Self.limit(name, value)
    case "UPMC_REQUESTS_PER_ADDRESS": requestsPerAddress = try Self.limit(name, value)
    case "UPMC_NEW_DEVICES_PER_ADDRESS": newDevices.perAddress = try Self.limit(name, value)
    case "UPMC_NEW_DEVICES_PER_APP": newDevices.perApp = try Self.limit(name, value)
    case "UPMC_TRUSTED_PROXIES": trustedProxies = try Self.blocks(name, value)
    case "UPMC_FORWARDED_HEADER": forwardedHeader = try Self.header(name, value)
    case "UPMC_PROXY_PROTOCOL": expectsProxyHeader = try Self.isOn(name, value)
    default: return false
    }
    return true
  }

  /// Checks that need several variables.
  func check() throws(Configuration.Mistake) {
    if keyFile != nil, certificateFile == nil {
      throw Self.mistake("UPMC_TLS_KEY is set without UPMC_TLS_CERTIFICATE. Set UPMC_TLS_CERTIFICATE too, or neither.")
    }
    if expectsProxyHeader, trustedProxies.isEmpty {
      throw Self.mistake("UPMC_PROXY_PROTOCOL=on needs UPMC_TRUSTED_PROXIES: only proxies named there are believed.")
    }
  }

  private static func number(_ name: String, _ value: String, least: Int) throws(Configuration.Mistake) -> Int {
    guard value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(value),
      (least...1_000_000).contains(number)
    else { throw mistake("\(name)=\(value) is no number from \(least) to 1000000.") }
    return number
  }

  private static func limit(_ name: String, _ value: String) throws(Configuration.Mistake) -> Int? {
    let number = try number(name, value, least: 0)
    return number == 0 ? nil : number
  }

  static func blocks(_ name: String, _ value: String) throws(Configuration.Mistake) -> [IPBlock] {
    var blocks: [IPBlock] = []
    for part in value.split(separator: ",") {
      let text = part.filter { $0 != " " }
      guard let block = IPBlock(text) else {
        throw mistake("\(name): \(text) is no address and no CIDR block. Write for example 10.0.0.0/8,2001:db8::1.")
      }
      blocks.append(block)
    }
    return blocks
  }

  private static func header(_ name: String, _ value: String) throws(Configuration.Mistake) -> Forwarding.Header {
    guard let header = Forwarding.Header(rawValue: value.lowercased()) else {
      let known = Forwarding.Header.allCases.map(\.rawValue).joined(separator: " or ")
      throw mistake("\(name)=\(value) is not a header that can be read. Use \(known).")
    }
    return header
  }

  private static func isOn(_ name: String, _ value: String) throws(Configuration.Mistake) -> Bool {
    switch value.lowercased() {
    case "on": return true
    case "off", "": return false
    default: throw mistake("\(name)=\(value) is neither on nor off.")
    }
  }

  private static func mistake(_ text: String) -> Configuration.Mistake {
    Configuration.Mistake(description: text)
  }
}
