import HTTPClient
import Reactor
import Testing

@testable import OTLP

/// What becomes of an export, by the collector's answer.
@Suite struct CollectorAnswerTests {
  private func answer(
    _ status: Int, _ body: String = "", headers: [(name: String, value: String)] = []
  ) -> CollectorAnswer {
    .of(.success(HTTPResponse(status: status, headers: headers, body: Array(body.utf8))))
  }

  @Test(arguments: [429, 502, 503, 504]) func `these are worth repeating, after the time that they name`(status: Int) {
    #expect(
      answer(status, headers: [("Retry-After", "7")]) == .again(after: 7, why: "it answered \(status)"))
    #expect(answer(status) == .again(after: nil, why: "it answered \(status)"))
    // A date, or nonsense: the own back-off.
    #expect(
      answer(status, headers: [("Retry-After", "Wed, 25 Nov 2026 14:00:00 GMT")])
        == .again(after: nil, why: "it answered \(status)"))
    #expect(answer(status, headers: [("Retry-After", "-7")]) == .again(after: 0, why: "it answered \(status)"))
  }

  @Test(arguments: [301, 400, 401, 403, 404, 413, 415, 500, 501]) func `these are not`(status: Int) {
    #expect(answer(status, headers: [("Retry-After", "7")]) == .refused(why: "it answered \(status)"))
  }

  @Test(arguments: [HTTPClientError.unreachable("x"), .lost("x"), .timedOut, .malformed("x")])
  func `without an answer it is sent again`(error: HTTPClientError) {
    #expect(CollectorAnswer.of(.failure(error)) == .again(after: nil, why: error.description))
  }

  @Test func `a request that cannot be sent at all is not sent again`() {
    #expect(CollectorAnswer.of(.failure(.refused("bad header"))) == .refused(why: "bad header"))
  }

  @Test(arguments: ["", "{}", #"{"partialSuccess":{}}"#, "taken", #"{"partialSuccess":null}"#, "\u{FF}"])
  func `an answer without a partial success took everything`(body: String) {
    #expect(answer(200, body) == .taken(rejected: 0, why: ""))
  }

  @Test(arguments: [
    #"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too \"old\""}}"#,
    #"{"x":[1,{"y":2}],"partialSuccess":{"z":{},"errorMessage":"too \"old\"","rejectedDataPoints":3}}"#,
  ]) func `a partial success says how much was rejected, and why`(body: String) {
    #expect(answer(200, body) == .taken(rejected: 3, why: "too \"old\""))
  }

  @Test func `pauses double up to a minute, are shortened by chance, and obey the collector`() {
    var pause = ExportPause()
    let begin = Instant(nanoseconds: 1_000_000_000_000)
    #expect(pause.isOver(at: begin))
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60] {
      pause.failed(at: begin, after: nil, jitter: 0)
      #expect(
        !pause.isOver(at: begin + .milliseconds(seconds * 1_000 - 1)) && pause.isOver(at: begin + .seconds(seconds)))
    }
    pause.failed(at: begin, after: nil, jitter: 1)
    #expect(!pause.isOver(at: begin + .seconds(29)) && pause.isOver(at: begin + .seconds(30)))
    pause.failed(at: begin, after: 5, jitter: 1)
    #expect(!pause.isOver(at: begin + .milliseconds(4_999)) && pause.isOver(at: begin + .seconds(5)))
    // A collector cannot silence this node for ever.
    pause.failed(at: begin, after: .max, jitter: 0)
    #expect(pause.isOver(at: begin + .seconds(600)))
    pause.succeeded()
    pause.failed(at: begin, after: nil, jitter: 0)
    #expect(pause.isOver(at: begin + .seconds(1)))
  }
}
