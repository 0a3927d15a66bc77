import Domain
import HTTP2
import Logging
import PushTransport
import Reactor
import Simulator
import Testing

@testable import APNs

/// Connections that grow slow, silent, old or are said goodbye to.
@Suite struct ConnectionCareTests {
  @Test func `one slow connection does not drag: it is replaced, and what it had is still answered`() throws {
    let server = try TestServer { $0.connection == 0 && $0.index > 0 ? .hold : .accept }
    defer { server.stop() }
    let harness = try Harness(server, connections: 2, streams: 20)
    let batch = harness.offer(harness.makeMessage(), 0..<60)
    #expect(harness.waits { server.requests.count == 21 })
    // The second one takes the rest, and answers at once.
    harness.advance(by: .milliseconds(250))
    #expect(harness.waits { server.requests.count == 60 })
    #expect(server.connections == 2)
    for _ in 0..<PushTransport.Limits.slowTicks { harness.advance(by: .seconds(1)) }
    let later = harness.offer(harness.makeMessage(), 100..<200)
    #expect(harness.wait(for: later).tally == ["accepted": 100])
    #expect(server.requests.suffix(100).allSatisfy { $0.connection != 0 })
    server.release()
    #expect(harness.wait(for: batch).tally == ["accepted": 60])
  }

  @Test func `a connection that falls silent gets nothing more, its work goes elsewhere within seconds`() throws {
    var settings = TestServer.Settings()
    settings.acknowledgesPings = false
    let server = try TestServer(settings: settings) { $0.connection == 0 && $0.index > 0 ? .never : .accept }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<1) == [.accepted])
    let lost = harness.offer(harness.makeMessage(), 1..<6)
    #expect(harness.waits { server.requests.count == 6 })
    harness.advance(by: .seconds(PushTransport.Limits.stallSeconds))
    #expect(harness.send(10..<20).tally == ["accepted": 10])
    #expect(server.requests.suffix(10).allSatisfy { $0.connection == 1 })
    harness.advance(by: .seconds(PushTransport.Limits.pingSeconds))
    #expect(harness.wait(for: lost).tally == [#"unknown(reason: "no answer from the peer")"#: 5])
  }

  @Test func `after a GOAWAY nothing goes out on that connection, and the next one is up before it is needed`() throws {
    let server = try TestServer {
      $0.connection == 0 && $0.index == 4 ? .goAway(lastStreamOffset: 0, debug: "") : .accept
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<1) == [.accepted])
    for index in 1..<5 { #expect(harness.send(index..<index + 1) == [.accepted]) }
    // Nobody has anything to send: the connection comes all the same.
    #expect(harness.waits { server.connections == 2 })
    #expect(harness.send(5..<200).tally == ["accepted": 195])
    #expect(server.requests.suffix(195).allSatisfy { $0.connection == 1 })
  }

  @Test func `a connection of a day is replaced by one that is ready first`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server, age: .seconds(100))
    #expect(harness.send(0..<10).tally == ["accepted": 10])
    harness.advance(by: .seconds(70))
    #expect(harness.send(10..<20).tally == ["accepted": 10])
    harness.advance(by: .seconds(60))
    #expect(harness.waits { server.connections == 2 })
    for round in 2..<100 where server.requests.last?.connection == 0 {
      #expect(harness.send(round * 10..<round * 10 + 10).tally == ["accepted": 10])
    }
    #expect(server.requests.last?.connection == 1)
    harness.advance(by: .seconds(2))
    #expect(harness.send(2000..<2010).tally == ["accepted": 10])
    #expect(server.connections == 2)
  }

  @Test func `an endpoint that drops every connection is one fault, over when a connection has lasted`() throws {
    let server = try TestServer { $0.connection < 3 ? .drop : .accept }
    defer { server.stop() }
    let lines = RecordedLog.Lines()
    let harness = try Harness(port: server.port, trusting: server.authorityPEM) {
      $0.wire.logger = Logger(label: "test") { _ in RecordedLog(lines: lines) }
    }
    let fault = "127.0.0.1:\(server.port) production"
    var sent = 0
    while harness.send(sent..<sent + 1) != [.accepted], sent < 20 {
      sent += 1
      harness.advance(by: .seconds(PushTransport.Limits.backOffSeconds.upperBound))
    }
    #expect(sent < 20 && lines.faults.count >= 2, "\(lines.faults)")
    #expect(lines.faults.allSatisfy { $0 == "warning \(fault) no connection" }, "\(lines.faults)")
    let before = lines.faults.count
    harness.advance(by: .seconds(1))
    #expect(harness.send(101..<102) == [.accepted])
    #expect(lines.faults.count == before, "too young to say so: \(lines.faults)")
    harness.advance(by: .seconds(PushTransport.Limits.youngSeconds))
    #expect(harness.waits { lines.faults.count == before + 1 })
    #expect(lines.faults.last == "notice \(fault) connected again")
    for _ in 0..<3 { harness.advance(by: .seconds(1)) }
    #expect(harness.send(102..<103) == [.accepted] && lines.faults.count == before + 1)
  }

  @Test func `connections are added one at a time, up to the limit`() throws {
    let server = try TestServer { $0.index > 0 ? .hold : .accept }
    defer { server.stop() }
    let harness = try Harness(server, connections: 4, streams: 20)
    for count in 1...5 {
      harness.offer(harness.makeMessage(), count * 100..<count * 100 + 100)
      harness.advance(by: .milliseconds(250))
      // Time stands still until the next one is there and full, however long that takes.
      #expect(harness.waits { server.requests.count >= min(count, 4) * 21 - 1 })
    }
    harness.advance(by: .milliseconds(250))
    for count in 1..<4 {
      let before = server.requests.prefix { $0.connection < count }
      #expect(before.count >= count * 20, "none is made before those there are full")
    }
    #expect(server.connections == 4)
    #expect(server.mostOpen.allSatisfy { $0 <= 21 })
    server.release()
  }

  @Test func `a limit that shrinks to one fails nothing, and is kept`() throws {
    let server = try TestServer { $0.index == 100 ? .limit(1, refused: nil) : .accept }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<300).tally == ["accepted": 300])
    #expect(harness.send(300..<600).tally == ["accepted": 300])
    #expect(server.requests.suffix(250).allSatisfy { $0.open == 1 })
    // It does not come back for a minute: another connection takes over.
    for _ in 0..<PushTransport.Limits.collapsedSeconds + 1 { harness.advance(by: .seconds(1)) }
    #expect(harness.waits { server.connections == 2 })
    #expect(harness.send(600..<700).tally == ["accepted": 100])
    #expect(server.requests.last?.connection == 1)
  }

  /// The pain of every other server: after a connection error a batch is lost, or sent twice.
  @Test(arguments: 1...8)
  func `connection errors make no duplicates and no losses: what is said of a push is what happened to it`(
    _ seed: UInt64
  ) throws {
    let server = try TestServer { request in
      var random = SplitMix64(seed: seed &* 1000 &+ UInt64(request.connection * 7919 + request.index))
      switch random.next() % 90 {
      case 0: return .reset(.refusedStream)
      case 1: return .reset(.internalError)
      case 2 where request.index > 5: return .goAway(lastStreamOffset: 0, debug: "")
      case 3 where request.index > 20: return .drop
      case 4: return .limit(3, refused: nil)
      case 5, 6: return .limit(200, refused: nil)
      default: return .accept
      }
    }
    defer { server.stop() }
    let harness = try Harness(server, connections: 3, streams: 40)
    var tally: [String: Int] = [:]
    for round in 0..<30 {
      let tokens = round * 100..<round * 100 + 100
      let batch = harness.makeBatch(harness.makeMessage(), tokens: tokens)
      if harness.sender.offer(batch) {
        let results = harness.wait(for: batch)
        #expect(results.count == 100)
        let answered = server.answered
        for (index, result) in zip(tokens, results) {
          let times = answered[Harness.token(index), default: 0]
          switch result {
          case .accepted: #expect(times == 1)
          case .unknown: #expect(times <= 1)
          case .notProcessed, .stale: #expect(times == 0)
          default: Issue.record("\(index): \(result)")
          }
          tally["\(result)".prefix { $0 != "(" }.description, default: 0] += 1
        }
      }
      harness.advance(by: .seconds(2))
    }
    #expect(tally["accepted", default: 0] > 500 && server.connections > 3, "\(tally)")
    harness.stop(within: .zero)
    #expect(harness.results.takeAll().isEmpty, "nothing is reported twice")
  }
}
