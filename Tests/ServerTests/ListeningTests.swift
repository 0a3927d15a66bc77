import HTTPServer
import Operations
import Reactor
import Testing

@testable import Server

@Suite struct ListeningTests {
  @Test func `variables are understood`() throws {
    let listening = try Configuration(environment: [
      "UPMC_TLS_CERTIFICATE": "/a.pem", "UPMC_TLS_KEY": "/b.pem", "UPMC_MAX_CONNECTIONS": "100",
      "UPMC_CONNECTIONS_PER_ADDRESS": "10", "UPMC_REQUESTS_PER_ADDRESS": "0",
      "UPMC_TRUSTED_PROXIES": "10.0.0.0/8, 2001:db8::1", "UPMC_FORWARDED_HEADER": "Forwarded",
      "UPMC_PROXY_PROTOCOL": "on", "UPMC_NEW_DEVICES_PER_ADDRESS": "7", "UPMC_NEW_DEVICES_PER_APP": "0",
    ]).listening
    #expect(listening.newDevices.perAddress == 7 && listening.newDevices.perApp == nil)
    #expect(listening.certificateFile == "/a.pem" && listening.keyFile == "/b.pem")
    #expect(listening.connections == 100 && listening.connectionsPerAddress == 10)
    #expect(listening.requestsPerAddress == nil)
    #expect(listening.trustedProxies == [IPBlock("10.0.0.0/8"), IPBlock("2001:db8::1")].compactMap { $0 })
    #expect(listening.forwardedHeader == .forwarded && listening.expectsProxyHeader)
  }

  @Test(arguments: [
    ["UPMC_MAX_CONNECTIONS": "0"], ["UPMC_MAX_CONNECTIONS": "many"], ["UPMC_MAX_CONNECTIONS": "+5"],
    ["UPMC_CONNECTIONS_PER_ADDRESS": "-1"], ["UPMC_REQUESTS_PER_ADDRESS": "1000001"],
    ["UPMC_TRUSTED_PROXIES": "10.0.0.1/8"], ["UPMC_TRUSTED_PROXIES": "proxy.example.com"],
    ["UPMC_FORWARDED_HEADER": "x-real-ip"], ["UPMC_PROXY_PROTOCOL": "v1"], ["UPMC_PROXY_PROTOCOL": "on"],
    ["UPMC_TLS_KEY": "/b.pem"], ["UPMC_NEW_DEVICES_PER_ADDRESS": "-1"], ["UPMC_NEW_DEVICES_PER_APP": "lots"],
  ]) func `a mistake is told with the variable's name`(_ environment: [String: String]) throws {
    let mistake = try #require(throws: Configuration.Mistake.self) { try Configuration(environment: environment) }
    #expect(mistake.description.contains(environment.keys.first!))
  }

  @Test func `limits are shared by the loops, and kept within what the process may open`() {
    var listening = Listening()
    listening.connectionsPerAddress = 5
    listening.requestsPerAddress = nil
    let engine = listening.engine(loops: 2, descriptors: 100_000, memoryBytes: 8 << 30)
    #expect(engine.connections == 10_000)
    #expect(engine.connectionsPerAddress == 3)
    #expect(engine.requestsPerAddress == nil)
    #expect(engine.bodyMemoryBytes == HTTPLimits.bodyMemoryBytes / 2)
    listening.newDevices.perAddress = nil
    #expect(listening.newDevices(loops: 2).perAddress == nil && listening.newDevices(loops: 2).perApp == 500_000)
    #expect(listening.engine(loops: 1, descriptors: 1_024, memoryBytes: 8 << 30).connections == 1_024 - 256 - 64)
    #expect(listening.engine(loops: 2, descriptors: 100, memoryBytes: 8 << 30).connections == 1)
  }

  @Test func `a server with little memory has room for fewer`() {
    var listening = Listening()
    let plain = listening.engine(loops: 1, descriptors: 100_000, memoryBytes: 768 << 20)
    #expect(plain.connections == 20_000)
    #expect(plain.bodyMemoryBytes == 192 << 20 && plain.outputMemoryBytes == 96 << 20)
    listening.certificateFile = "/a.pem"
    let secure = listening.engine(loops: 1, descriptors: 100_000, memoryBytes: 768 << 20)
    #expect(secure.connections == (384 << 20) / HTTPLimits.secureConnectionBytes)
    #expect(secure.connections < 20_000)
    #expect(listening.engine(loops: 1, descriptors: 100_000, memoryBytes: 8 << 30).connections == 20_000)
  }
}
