import Maintenance
import Simulator
import TestSupport
import TestTier
import Testing

/// The doctor, where the only way out is a proxy.
@Suite(.slow) struct ProxyChecksTests {
  @Test func `a proxy that opens tunnels is named, and the networks are asked through it`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let world = try MaintenanceWorld()
    try world.setServiceAccount()
    proxy.want("user", "sesame")
    let found = world.findings(["UPMC_PROXY_URL": "http://user:sesame@127.0.0.1:\(proxy.port)"])
    #expect(found.failures.isEmpty, "\(found.failures)")
    let finding = try #require(found.first { $0.subject == "proxy" })
    #expect(finding.place == "127.0.0.1:\(proxy.port)" && finding.what.contains(world.started.endpoints.apns))
    #expect(proxy.asked.contains(world.started.endpoints.apns) && proxy.faults.isEmpty, "\(proxy.faults)")
    #expect(found.contains { $0.subject == "APNS" && $0.severity == .ok }, "\(found)")
    #expect(!found.contains { "\($0)".contains("sesame") })
  }

  @Test func `a wrong password is said, and what to correct`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let world = try MaintenanceWorld()
    proxy.want("user", "right")
    let found = world.findings(["UPMC_PROXY_URL": "http://user:sesame@127.0.0.1:\(proxy.port)"])
    let finding = try #require(found.failures.first { $0.subject == "proxy" })
    #expect(finding.what.contains("does not take the user and password") && finding.remedy.contains("UPMC_PROXY_URL"))
    let network = try #require(found.failures.first { $0.subject == "APNS" })
    #expect(network.what.contains("(407)") && network.remedy.contains("127.0.0.1:\(proxy.port)"), "\(network)")
    #expect(!found.contains { "\($0)".contains("sesame") })
  }

  @Test func `a host that the proxy refuses is named`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let world = try MaintenanceWorld()
    proxy.refuse(world.started.endpoints.apns)
    let found = world.findings(["UPMC_PROXY_URL": proxy.url])
    let finding = try #require(found.first { $0.subject == "proxy" && $0.severity == .warning })
    #expect(finding.what.contains("refuses \(world.started.endpoints.apns) (403)"), "\(finding)")
    #expect(found.failures.contains { $0.subject == "APNS" && $0.what.contains("(403)") }, "\(found)")
  }

  @Test func `a proxy that looks names up and lets everybody into its own machine is a fault`() throws {
    let proxy = try ConnectProxy()
    defer { proxy.close() }
    let world = try MaintenanceWorld()
    let asked = ["UPMC_PROXY_URL": proxy.url, "UPMC_PROXY_RESOLVES": "on", "UPMC_NO_PROXY": "localhost"]
    let own = ["localhost:\(proxy.port)", "localhost:443", "127.0.0.1:443"]
    for place in own { proxy.refuse(place) }
    let closed = world.findings(asked)
    #expect(!closed.contains { $0.subject == "proxy" && $0.severity != .ok }, "\(closed)")
    proxy.refuse("localhost:443", with: 500)
    let unknown = try #require(world.findings(asked).first { $0.subject == "proxy" && $0.severity == .warning })
    #expect(unknown.what.contains("is not known") && unknown.what.contains("(500)"), "\(unknown)")
    for status in [502, 503, 504] {
      proxy.refuse("localhost:443", with: status)
      world.findings(asked).expectOnlyFailure("proxy", "localhost:443", remedy: "UPMC_PROXY_RESOLVES=off")
    }
    for place in own { proxy.refuse(place, with: nil) }
    proxy.know(["localhost:\(proxy.port)": proxy.port])
    world.findings(asked).expectOnlyFailure("proxy", "its own machine", remedy: "UPMC_PROXY_RESOLVES=off")
    #expect(world.findings(["UPMC_PROXY_URL": proxy.url]).failures.isEmpty, "addresses are checked here")
  }

  @Test func `a proxy that is not there is the only way that is blamed`() throws {
    // Nobody listens there, and nobody gets it who asks for any port.
    let nowhere = "http://127.0.0.1:9"
    let world = try MaintenanceWorld()
    let found = world.findings(["UPMC_PROXY_URL": nowhere])
    #expect(found.failures.contains { $0.subject == "proxy" && $0.what.contains("connect") }, "\(found)")
    let without = world.findings(["UPMC_PROXY_URL": nowhere, "UPMC_NO_PROXY": "127.0.0.1,::1,localhost"])
    #expect(without.failures.isEmpty, "\(without.failures)")
  }
}
