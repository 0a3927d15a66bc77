import Glibc
import Reactor
import TestSupport
import Testing

@testable import Server

@Suite struct ListenersTests {
  private func configuration(port: UInt16 = 0) -> Configuration {
    var configuration = Configuration()
    configuration.listenHost = "127.0.0.1"
    configuration.listenPort = port
    return configuration
  }

  @Test func `several loops share an address that nobody else can have`() throws {
    #expect(try Listeners(configuration(), loops: 3).http.port != 0)
    let port = try LastingPort.find()
    let listeners = try Listeners(configuration(port: port), loops: 3)
    #expect(listeners.http.port == port)
    let refusal = #expect(throws: ServerError.self) { try Listeners.probe(configuration(port: port)) }
    #expect(refusal?.description.contains("another program has this port") == true)
    let descriptors = listeners.takeHTTP()
    #expect(Set(descriptors).count == 3 && listeners.takeHTTP().isEmpty)
    for descriptor in descriptors { #expect(close(descriptor) == 0) }
    try Listeners.probe(configuration(port: port))
  }

  @Test func `what nobody has taken is let go`() throws {
    var configuration = try configuration(port: LastingPort.find())
    configuration.metricsListen = ("127.0.0.1", try LastingPort.find())
    var listeners: Listeners? = try Listeners(configuration, loops: 2)
    let (http, metrics) = (try #require(listeners?.http.port), try #require(listeners?.metrics?.port))
    listeners = nil
    for port in [http, metrics] { try Listeners.probe(self.configuration(port: port)) }
  }

  @Test func `an address of IPv6 is told as it is written`() throws {
    var configuration = configuration()
    configuration.listenHost = "2001:db8::1"
    let refusal = #expect(throws: ServerError.self) { try Listeners.probe(configuration) }
    #expect(refusal?.description.hasPrefix("UPMC_LISTEN=[2001:db8::1]:0 cannot be listened on") == true, "\(refusal!)")
  }
}
