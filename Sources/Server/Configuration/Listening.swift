package import HTTPServer
package import Operations
package import Reactor

/// The settings of the listeners: TLS, limits, and the reverse proxies in front of the server.
package struct Listening: Sendable {
  /// The number of file descriptors reserved for everything except clients: databases, connections to Apple, files.
  static let keptDescriptors = 256

  /// The minimum number of file descriptors: with fewer, none would be left for clients.
  static let leastDescriptors = keptDescriptors + 2 * HTTPLimits.refusals

  static let tlsVariables: [Configuration.Variable] = [
    variable(
      "UPMC_TLS_CERTIFICATE", "",
      "PEM file with the server's certificate and its chain: the server then speaks HTTPS; read again on SIGHUP",
      "서버 인증서와 체인이 든 PEM 파일. 설정하면 HTTPS로 응답하며, SIGHUP을 받으면 다시 읽습니다"),
    variable(
      "UPMC_TLS_KEY", "", "PEM file with its private key; absent: in the certificate's file",
      "개인 키가 든 PEM 파일. 없으면 인증서 파일에서 읽습니다"),
  ]

  static let limitVariables: [Configuration.Variable] = [
    variable(
      "UPMC_MAX_CONNECTIONS", "20000",
      "open connections, or fewer: what fits half of the memory (20 KiB each under TLS) and the open files. Beyond it a "
        + "client gets 503",
      "열린 연결 수. 메모리의 절반(TLS에서 연결당 20 KiB)과 열 수 있는 파일 수에 맞춰 줄어들 수 있습니다. 넘으면 503으로 응답합니다"),
    variable(
      "UPMC_CONNECTIONS_PER_ADDRESS", "1000",
      "open connections of one client address; beyond it 429; 0 for no limit; never for loopback and trusted proxies",
      "클라이언트 주소 하나의 연결 수. 넘으면 429. 0은 제한 없음. 루프백과 신뢰하는 프록시에는 적용하지 않습니다"),
    variable(
      "UPMC_REQUESTS_PER_ADDRESS", "1000",
      "requests a second of one client address; beyond it 429; 0 for no limit; never for loopback and trusted proxies",
      "클라이언트 주소 하나의 초당 요청 수. 넘으면 429. 0은 제한 없음. 루프백과 신뢰하는 프록시에는 적용하지 않습니다"),
    variable(
      "UPMC_NEW_DEVICES_PER_ADDRESS", "1000",
      "new devices an hour of one client address and app, on each node; beyond it 429; 0 for no limit; known devices "
        + "are not counted",
      "주소와 앱 하나에서 시간당 새로 등록할 수 있는 단말 수(노드별). 넘으면 429. 0은 제한 없음. 이미 등록된 단말은 세지 않습니다"),
    variable(
      "UPMC_NEW_DEVICES_PER_APP", "1000000", "the same for one app, from all addresses; 0 for no limit",
      "앱 하나에 대한 같은 한도(모든 주소 합계). 0은 제한 없음"),
  ]

  static let proxyVariables: [Configuration.Variable] = [
    variable(
      "UPMC_TRUSTED_PROXIES", "",
      "addresses or CIDR blocks of the proxies in front of this server, with commas: they name their clients",
      "이 서버 앞에 있는 프록시의 주소 또는 CIDR(쉼표로 구분). 이 프록시가 알려 주는 클라이언트 주소를 믿습니다"),
    variable(
      "UPMC_FORWARDED_HEADER", "x-forwarded-for",
      "header in which trusted proxies name their clients: x-forwarded-for or forwarded",
      "신뢰하는 프록시가 클라이언트 주소를 적는 헤더: `x-forwarded-for` 또는 `forwarded`"),
    variable(
      "UPMC_PROXY_PROTOCOL", "off",
      "on: trusted proxies begin each connection with the PROXY protocol, version 2",
      "`on`이면 신뢰하는 프록시가 연결마다 PROXY 프로토콜 버전 2로 시작합니다"),
  ]

  private static func variable(
    _ name: String, _ standard: String, _ meaning: String, _ korean: String
  ) -> Configuration.Variable {
    Configuration.Variable(name: name, standard: standard, meaning: meaning, korean: korean)
  }

  package var certificateFile: String?
  /// The path of the private key; nil when the certificate file contains it.
  package var keyFile: String?
  /// Maximum number of connections of all loops together.
  package var connections = 20_000
  /// Maximum connections per client address. Many clients of a mobile network share one address, so this limit and the
  /// next are far above what one client needs; they only prevent one address from using up everything.
  package var connectionsPerAddress: Int? = 1_000
  /// Maximum requests per second from one client address.
  package var requestsPerAddress: Int? = 1_000
  /// Limits on the rate of new devices, for each node.
  package var newDevices = NewDevices.Rates()
  package var trustedProxies: [IPBlock] = []
  package var forwardedHeader = Forwarding.Header.xForwardedFor
  package var expectsProxyHeader = false

  package init() {}

  /// Returns the engine configuration for one of `loops` loops; limits are divided evenly, as the kernel divides
  /// connections.
  ///
  /// Idle connections get half of the memory, bodies a quarter and answers an eighth. Together with everything else
  /// that stays within the limit, so a server with little memory refuses some requests instead of being killed.
  /// - Parameters:
  ///   - descriptors: the maximum number of file descriptors of this process.
  ///   - memoryBytes: memory limit of this process.
  ///   - spoolDirectory: directory for uploads; nil to keep them in memory.
  func engine(
    loops: Int, descriptors: Int, memoryBytes: Int, spoolDirectory: String? = nil
  ) -> HTTPServer.Configuration {
    func share(_ limit: Int) -> Int { Self.share(limit, of: loops) }
    var engine = behindProxies
    let describable = descriptors - Self.keptDescriptors - loops * HTTPLimits.refusals
    engine.connections = share(max(loops, min(connections, describable, fitting(memoryBytes))))
    engine.connectionsPerAddress = connectionsPerAddress.map(share)
    engine.requestsPerAddress = requestsPerAddress.map(share)
    engine.bodyMemoryBytes = share(min(HTTPLimits.bodyMemoryBytes, memoryBytes / 4))
    engine.outputMemoryBytes = share(min(HTTPLimits.allOutputBytes, memoryBytes / 8))
    engine.spoolBytes = share(HTTPLimits.spoolBytes)
    engine.spoolDirectory = spoolDirectory
    return engine
  }

  /// The engine's default configuration, with what it must know of the proxies in front of it.
  var behindProxies: HTTPServer.Configuration {
    var engine = HTTPServer.Configuration()
    engine.trustedProxies = trustedProxies
    engine.forwardedHeader = forwardedHeader
    engine.expectsProxyHeader = expectsProxyHeader
    return engine
  }

  /// Returns the bytes that a health check must send before its request: the PROXY protocol header if the check comes
  /// from a trusted proxy, otherwise none.
  /// - Parameter address: source address of the health check.
  package func probePreamble(from address: IPAddress) -> [UInt8] {
    expectsProxyHeader && trustedProxies.contains { $0.contains(address) } ? ProxyHeader.local : []
  }

  /// Returns the number of idle connections that fit into half of the memory.
  package func fitting(_ memoryBytes: Int) -> Int {
    memoryBytes / 2 / (certificateFile == nil ? HTTPLimits.connectionBytes : HTTPLimits.secureConnectionBytes)
  }

  /// Returns the limits on new devices for one of `loops` loops.
  func newDevices(loops: Int) -> NewDevices.Rates {
    var rates = newDevices
    rates.perAddress = rates.perAddress.map { Self.share($0, of: loops) }
    rates.perApp = rates.perApp.map { Self.share($0, of: loops) }
    return rates
  }

  private static func share(_ limit: Int, of loops: Int) -> Int { max(1, (limit + loops - 1) / loops) }

  // MARK: From the environment

  /// Stores the value of a listening variable. Returns false when the variable is not one of these.
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

  /// Performs the checks that concern several variables.
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
