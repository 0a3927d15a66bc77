import Testing

@testable import HTTPServer

/// What the engine refuses by itself is a problem like any other: a stable code, and the id of the request.
@Suite struct EngineProblemTests {
  private static func long(_ count: Int) -> String { String(repeating: "x", count: count) }

  private static let refused: [(request: String, problem: EngineProblem)] = [
    ("GET / HTTP/1.1\r\n\r\n", .malformed),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n", .bodyTooLarge),
    ("GET /\(long(9_000)) HTTP/1.1\r\nHost: a\r\n\r\n", .targetTooLong),
    ("POST / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nContent-Length: 5\r\n\r\n", .expectationFailed),
    ("GET / HTTP/1.1\r\nHost: a\r\nX: \(long(9_000))\r\n\r\n", .headTooLarge),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", .versionNotSupported),
  ]

  @Test(arguments: refused.indices) func `a refused request is answered with its problem`(index: Int) throws {
    let (request, problem) = Self.refused[index]
    var configuration = HTTPServer.Configuration()
    configuration.bodyBytes = 10
    let server = try TestServer(configuration: configuration)
    try Self.check(try server.connect().exchange(request), is: problem)
  }

  @Test func `a request that does not come to its end is answered with its problem`() throws {
    let server = try TestServer()
    let peer = try server.connect()
    peer.send("GET / HTTP/1.1\r\n")
    server.advance(seconds: 1)
    server.advance(seconds: 25)
    try Self.check(try peer.takeAnswer(), is: .timeout)
  }

  @Test func `a client too many is answered with its problem, and told when to come back`() throws {
    var configuration = HTTPServer.Configuration()
    configuration.connections = 0
    let server = try TestServer(configuration: configuration)
    let answer = try server.connect().takeAnswer()
    try Self.check(answer, is: .busy)
    #expect(answer.header("retry-after") == "1")
  }

  @Test func `each problem has a status and a name of its own`() {
    #expect(Set(EngineProblem.allCases.map(\.status)).count == EngineProblem.allCases.count)
    #expect(Set(EngineProblem.allCases.map(\.type)).count == EngineProblem.allCases.count)
    for problem in EngineProblem.allCases { #expect(EngineProblem(problem.status) == problem) }
    #expect(EngineProblem(.ok) == nil)
  }

  private static func check(_ answer: Answer, is problem: EngineProblem) throws {
    #expect(answer.status == problem.status.code)
    #expect(answer.header("content-type") == "application/problem+json")
    #expect(
      answer.body.hasPrefix("{\"type\":\"\(problem.type)\",\"title\":\"\(problem.title)\",\"status\":\(answer.status),")
    )
    #expect(answer.body.hasSuffix("\"requestId\":\"\(try #require(answer.header("x-request-id")))\"}"))
  }
}
