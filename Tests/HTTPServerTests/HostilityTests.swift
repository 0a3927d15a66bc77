import Reactor
import Testing

@testable import HTTPServer

extension HostileRequest: CustomTestStringConvertible {
  var testDescription: String { name }
  /// Of a client of HTTP/1.0.
  fileprivate var isOld: Bool { bytes.prefix { $0 != UInt8(ascii: "\r") }.suffix(8) == Array("HTTP/1.0".utf8)[...] }
}

/// The engine against the table of hostile requests: each gets exactly the answer it deserves, byte by byte.
@Suite struct HostilityTests {
  private static let next = Array("GET /next HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

  /// A server that answers with what its handler was given, and one client.
  private final class Stage {
    var seen: [String] = []
    private(set) var server: TestServer!
    private(set) var peer: Peer!

    init() throws {
      server = try TestServer { [unowned self] request, responder in
        let body = request.withBody { String(copying: $0) }
        let query = request.query.isEmpty ? "" : "?" + request.query
        let what = "\(request.methodName) \(request.path)\(query) \(body)"
        seen.append(what)
        responder.send(Response(status: .ok, contentType: "text/plain", body: what))
      }
      peer = try server.connect()
    }

    /// Waits until nothing more comes, or the connection is closed.
    func settle(_ isComplete: () -> Bool) {
      peer.wait { peer.isClosed || isComplete() }
    }
  }

  @Test func `the table is not a small one, and names no case twice`() {
    #expect(HostileRequest.malformed.count >= 260)
    #expect(HostileRequest.unambiguous.count >= 90)
    #expect(Set(HostileRequest.all.map(\.name)).count == HostileRequest.all.count)
    let cited = #/RFC \d+ §|CL\.|TE\.|0\.CL|H2C|Expect|TERM|ONE/#
    #expect(HostileRequest.all.allSatisfy { $0.rule.contains(cited) })
  }

  @Test(arguments: HostileRequest.all) func `every hostile request has exactly this answer, and this end`(
    _ entry: HostileRequest
  ) throws {
    let stage = try Stage()
    stage.peer.send(entry.bytes + (entry.ending == .awaited ? [] : Self.next))
    let isKept = entry.ending == .kept
    let seen = entry.seen + (isKept ? ["GET /next "] : [])
    let answers = entry.answers + (isKept ? [200] : [])
    if entry.ending == .awaited {
      stage.server.turn()
      stage.peer.receive()
    } else {
      stage.settle { isKept && stage.peer.text.hasSuffix("GET /next ") }
    }
    #expect(stage.seen == seen, "\(entry.rule)")
    #expect(stage.peer.isClosed == (entry.ending == .closed))
    #expect(!stage.peer.wasReset)
    let lastCloses = entry.ending == .closed
    let rest = ExactAnswer.mismatch(
      stage.peer.received, statuses: answers, bodies: seen, lastCloses: lastCloses, firstStays: entry.isOld && isKept)
    #expect(rest == nil, "\(entry.rule): \(rest ?? "")")
  }

  @Test func `what is never finished is told so when its time is over, and no handler sees it`() throws {
    for entry in HostileRequest.all where entry.ending == .awaited {
      let stage = try Stage()
      stage.peer.send(entry.bytes)
      stage.server.advance(seconds: 62)
      stage.settle { false }
      #expect(stage.seen.isEmpty && stage.peer.isClosed, "\(entry.name)")
      let rest = ExactAnswer.mismatch(stage.peer.received, statuses: [408], bodies: [], lastCloses: true)
      #expect(rest == nil, "\(entry.name): \(rest ?? "")")
    }
  }

  @Test(arguments: Feeding.allCases) func `every malformed request is refused however its bytes arrive`(
    _ feeding: Feeding
  ) {
    for entry in HostileRequest.malformed {
      for cuts in feeding.cuts(entry.bytes.count) {
        let reading = Reading.of(entry.bytes, cuts: cuts).description
        let isRight =
          entry.answers[0] == 417 ? !reading.hasPrefix("4") : reading.hasPrefix("\(entry.answers[0]) ")
        #expect(isRight, "\(entry.name), \(entry.rule), cut at \(cuts): \(reading)")
      }
    }
  }

  @Test func `every unambiguous request is understood the same, cut at every byte`() throws {
    for entry in HostileRequest.unambiguous where entry.bytes.count < 1_000 && entry.ending != .awaited {
      for cut in 1..<entry.bytes.count {
        try check(entry, pieces: [Array(entry.bytes[..<cut]), Array(entry.bytes[cut...])], "cut at \(cut)")
      }
    }
  }

  @Test func `every unambiguous request is understood the same, byte by byte`() throws {
    for entry in HostileRequest.unambiguous where entry.bytes.count < 1_000 && entry.ending != .awaited {
      try check(entry, pieces: entry.bytes.map { [$0] }, "byte by byte")
    }
  }

  private func check(_ entry: HostileRequest, pieces: [[UInt8]], _ how: String) throws {
    let stage = try Stage()
    for piece in pieces {
      stage.peer.send(piece)
      stage.server.turn(1)
    }
    let isKept = entry.ending == .kept
    if isKept { stage.peer.send(Self.next) }
    stage.settle { isKept && stage.peer.text.hasSuffix("GET /next ") }
    #expect(stage.seen == entry.seen + (isKept ? ["GET /next "] : []), "\(entry.name), \(how)")
    // Whoever waits with the body is told to go on; that is an answer of its own.
    let text = stage.peer.text.replacing("HTTP/1.1 100 Continue\r\n\r\n", with: "")
    let rest = ExactAnswer.mismatch(
      Array(text.utf8), statuses: entry.answers + (isKept ? [200] : []), bodies: stage.seen,
      lastCloses: entry.ending == .closed, firstStays: entry.isOld && isKept)
    #expect(rest == nil, "\(entry.name), \(how): \(rest ?? "")")
  }
}
