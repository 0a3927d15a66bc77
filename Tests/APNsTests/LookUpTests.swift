import APNs
import Domain
import Metrics
import PushTransport
import Reactor
import Synchronization
import TLS
import Testing

/// Apple moves load by DNS: every connection asks anew, and goes where the name leads now.
@Suite struct LookUpTests {
  /// A name whose answer a test changes.
  private final class Name: Sendable {
    private let state: Mutex<(port: UInt16, asked: Int)>

    init(_ port: UInt16) {
      state = Mutex((port, 0))
    }

    var asked: Int { state.withLock { $0.asked } }

    func lead(to port: UInt16) {
      state.withLock { $0.port = port }
    }

    func answer() throws(SystemError) -> [SocketAddress] {
      let port = state.withLock { state in
        state.asked += 1
        return state.port
      }
      return try SocketAddress.resolve(host: "127.0.0.1", port: port)
    }
  }

  private func harness(_ server: TestServer, _ name: Name, _ metrics: Metrics = Metrics()) throws -> Harness {
    try Harness(port: server.port, trusting: server.authorityPEM, age: .seconds(100)) {
      $0.wire.metrics = metrics
      $0.wire.lookUp = { _ throws(SystemError) in try name.answer() }
    }
  }

  @Test func `a connection that takes over from an old one goes where the name leads now`() throws {
    let authority = try CertificateAuthority()
    let (old, new) = (try TestServer(authority: authority), try TestServer(authority: authority))
    defer { for server in [old, new] { server.stop() } }
    let name = Name(old.port)
    let harness = try harness(old, name)
    #expect(harness.send(0..<10).tally == ["accepted": 10])
    #expect(harness.send(10..<20).tally == ["accepted": 10])
    #expect(name.asked == 1 && old.connections == 1)
    name.lead(to: new.port)
    harness.advance(by: .seconds(130))
    #expect(harness.waits { new.connections == 1 })
    var round = 1
    let isUsed = harness.waits {
      round += 1
      #expect(harness.send(round * 10..<round * 10 + 10).tally == ["accepted": 10])
      return !new.requests.isEmpty
    }
    #expect(isUsed && name.asked == 2 && old.connections == 1)
  }

  @Test func `so does one that takes over from a lost one`() throws {
    let authority = try CertificateAuthority()
    let old = try TestServer(authority: authority) { $0.index == 5 ? .drop : .accept }
    let new = try TestServer(authority: authority)
    defer { for server in [old, new] { server.stop() } }
    let name = Name(old.port)
    let harness = try harness(old, name)
    #expect(harness.send(0..<5).tally == ["accepted": 5])
    name.lead(to: new.port)
    _ = harness.send(5..<6)
    #expect(
      harness.waits {
        harness.advance(by: .seconds(1))
        return harness.send(6..<7) == [.accepted]
      })
    #expect(name.asked == 2 && old.connections == 1 && new.requests.count == 1)
  }

  @Test func `the metrics show that no connection can be made, and when one can again`() throws {
    let server = try TestServer()
    defer { server.stop() }
    // Nobody listens there, and nobody gets it who asks for any port.
    let (name, metrics) = (Name(9), Metrics())
    let harness = try harness(server, name, metrics)
    var next = 0
    func sends(until isSo: (_ results: [SubmissionResult]) -> Bool) -> Bool {
      harness.waits {
        let results = harness.send(next..<next + 1)
        next += 1
        harness.advance(by: .seconds(1))
        return isSo(results)
      }
    }
    func shows(heldBack count: Int) -> Bool {
      metrics.text().contains("upmc_push_held_back{network=\"apns\"} \(count)\n")
    }
    #expect(sends { _ in shows(heldBack: 1) })
    name.lead(to: server.port)
    #expect(sends { $0 == [.accepted] && shows(heldBack: 0) })
  }
}
