import HTTPServer
import Reactor
import Testing

@testable import Server

@Suite struct ListeningTests {
  @Test func `variables are understood`() throws {
    let listening = try Configuration(environment: [
      "UPMC_TLS_CERTIFICATE": "/a.pem", "UPMC_TLS_KEY": "/b.pem", "UPMC_MAX_CONNECTIONS": "100",
      "UPMC_CONNECTIONS_PER_ADDRESS": "10", "UPMC_REQUESTS_PER_ADDRESS": "0",
      "UPMC_TRUSTED_PROXIES": "10.0.0.0/8, 2001:db8::1", "UPMC_FORWARDED_HEADER": "Forwarded",
      "UPMC_PROXY_PROTOCOL": "on",
    ]).listening
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
    ["UPMC_TLS_KEY": "/b.pem"],
  ]) func `a mistake is told with the variable's name`(_ environment: [String: String]) throws {
    let mistake = try #require(throws: Configuration.Mistake.self) { try Configuration(environment: environment) }
    #expect(mistake.description.contains(environment.keys.first!))
  }

  @Test func `limits are shared by the loops, and kept within what the process may open`() {
    var listening = Listening()
    listening.connectionsPerAddress = 5
    listening.requestsPerAddress = nil
    let engine = listening.engine(loops: 2, descriptors: 100_000)
    #expect(engine.connections == 10_000)
    #expect(engine.connectionsPerAddress == 3)
    #expect(engine.requestsPerAddress == nil)
    #expect(engine.bodyMemoryBytes == HTTPLimits.bodyMemoryBytes / 2)
    #expect(listening.engine(loops: 1, descriptors: 1_024).connections == 1_024 - 256 - 64)
    #expect(listening.engine(loops: 2, descriptors: 100).connections == 1)
  }
}
