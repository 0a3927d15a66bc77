import Operations
import TestTier
import Testing

@testable import API

/// One small request must never hold a thread: for every call that takes a body, and every worst input known, four times
/// the bytes cost at most six times the time of the threads that work on it. How long that is in seconds is for
/// `upmc-benchmark B1`; this is the one place where a test measures time, and only as a ratio.
@Suite(.slow, .serialized) struct BodyWorkTests {
  /// What every call takes, and long enough for squares to show.
  private static let bytes = 30_000

  @Test func `no JSON body costs more than its length, whatever stands in which member`() throws {
    let stage = try BodyStage()
    var walk = MemberWalk(stage.example.check)
    for operation in Endpoint.all {
      guard let body = operation.body, body.type == "application/json" else { continue }
      let head = try stage.head(operation)
      for worst in WorstJSON.allCases {
        try stage.compare("\(operation.id), \(worst)", head, Self.bytes, worst.text)
      }
      try stage.compare("\(operation.id), a name of marks", head, Self.bytes) { "{\(WorstJSON.marks.text($0)):1}" }
      for place in walk.places(of: body) {
        for worst in WorstJSON.fitting(place.types) {
          try stage.compare("\(operation.id), \(worst) in \(place.name)", head, Self.bytes) {
            place.body(worst.text($0))
          }
        }
      }
    }
    #expect(walk.count > 250 && stage.requests > 2 * walk.count, "\(walk.count) places, \(stage.requests) requests")
  }

  @Test func `no file costs more than its length`() throws {
    let stage = try BodyStage()
    var calls = 0
    for operation in Endpoint.all {
      // Controllers take forms: see below.
      guard let body = operation.body, body.type != "application/json", operation.pattern.hasPrefix("/v1/") else {
        continue
      }
      calls += 1
      let head = try stage.head(operation)
      for worst in WorstFile.allCases {
        try stage.compare("\(operation.id), \(worst)", head, 4 * Self.bytes, worst.body)
      }
    }
    #expect(calls == 3)
  }

  @Test func `no form costs more than its length, at any controller`() throws {
    let stage = try BodyStage()
    for controller in Controller.all {
      for worst in WorstForm.allCases {
        let head = "POST /upmc/\(controller.name).ctl HTTP/1.1\nContent-Type: \(worst.contentType)"
        for field in worst.hasField ? ["APP_ID", "CUID", "MESSAGE", "GROUPSEQ"] : ["CUID"] {
          try stage.compare("\(controller.name), \(worst) in \(field)", head, Self.bytes) {
            (worst.isMultipart ? "" : Self.common(without: field)) + worst.body($0, field: field)
          }
        }
      }
    }
    #expect(stage.requests > Controller.all.count * WorstForm.allCases.count)
  }

  private static func common(without field: String) -> String {
    [("APP_ID", World.appID), ("PSID", World.token("ab")), ("PNSID", "APNS"), ("DEVICE_ID", "d"), ("CUID", "kim")]
      .filter { $0.0 != field }.map { "\($0.0)=\($0.1)&" }.joined()
  }

  @Test func `no head costs more than its length, and no body costs more for coming in small chunks`() throws {
    let stage = try BodyStage()
    for path in ["/v1/devices/x", "/v1/admin/messages", "/health", "/", "/docs", "/upmc/rcv_get_service.ctl", "/p/x"] {
      for worst in WorstHead.allCases {
        try stage.compare("\(path), \(worst)", 7_800) { (worst.lines($0, path: path), "") }
      }
    }
    for path in ["/v1/receipts", "/v1/devices", "/upmc/putAppLog.ctl", "/v1/admin/messages"] {
      let head = "POST \(path) HTTP/1.1\nContent-Type: application/json\nTransfer-Encoding: chunked"
      try stage.compare("\(path), chunks of one byte", head, Self.bytes) {
        String(repeating: "1\r\nx\r\n", count: $0) + "0\r\n\r\n"
      }
      try stage.compare("\(path), trailers", head, Self.bytes) {
        "0\r\n" + String(repeating: "a: b\r\n", count: $0 / 24) + "\r\n"
      }
    }
  }
}
