internal import FoundationEssentials
internal import HTTPClient
internal import JSON
internal import Reactor
import Time

/// A server under measurement, with its API and the simulator's records.
final class Center {
  let program: Program
  private let apiKey: String
  private let api: HTTPClient.Blocking
  private let simulator: HTTPClient.Blocking

  init(program: Program, apiKey: String, simulatorPort: UInt16) throws {
    self.program = program
    self.apiKey = apiKey
    api = try HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: program.port))
    simulator = try HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: simulatorPort))
  }

  func stop() {
    program.stop()
  }

  /// Sends a message and returns its SEQNO.
  func send(_ audience: String, _ more: String = "") throws -> String {
    let body = #"{"appId":"\#(StageDevices.appID)","audience":\#(audience),"alert":"A message"\#(more)}"#
    let answer = try Fields(try call("POST", "/v1/admin/messages", body))
    guard let seqno = answer.text["seqno"] else { throw MeasuringError("a send was not accepted: \(answer.text)") }
    return seqno
  }

  /// Sends urgent messages to single users, one every 50 ms.
  func sendUrgent(_ count: Int, _ stage: CampaignStage) throws -> [UrgentSend] {
    let clock = SystemClock()
    let pause = try Wakeup()
    return try (0..<count).map { _ in
      defer { _ = pause.wait(atMost: CampaignRun.urgentInterval) }
      return try sendUrgent(stage, clock)
    }
  }

  func sendUrgent(_ stage: CampaignStage, _ clock: SystemClock) throws -> UrgentSend {
    let sentAt = clock.wallTime.microseconds
    let user = Int.random(in: 0..<stage.tokens.count)
    let seqno = try send(#"{"clientUids":["user\#(user)"]}"#, #","lane":"urgent""#)
    return UrgentSend(seqno: seqno, token: stage.tokens[user], sentAt: sentAt)
  }

  /// Waits until the server reports that it can deliver.
  func isReady(within timeout: Duration) throws -> Bool {
    let clock = SystemClock()
    let pause = try Wakeup()
    let deadline = clock.now + timeout
    while clock.now < deadline {
      if try api.send(HTTPRequest("GET", "/ready")).status == 200 { return true }
      _ = pause.wait(atMost: .milliseconds(2))
    }
    throw MeasuringError("the server is not ready after \(timeout)")
  }

  func funnel(_ seqno: String) throws -> Fields {
    try Fields(try call("GET", "/v1/admin/messages/\(seqno)"))
  }

  /// When a message's only delivery ended, in microseconds since 1970; nil before that.
  func endedAt(_ seqno: String) throws -> Int64? {
    var reader = JSONReader(try call("GET", "/v1/admin/messages/\(seqno)/deliveries"))
    var ended: Int64?
    try reader.readObject { (reader, key) throws(JSONError) in
      guard key == "items" else { return try reader.skip() }
      try reader.readArray { (reader, _) throws(JSONError) in
        var (status, at) = ("", "")
        try reader.readObject { (reader, key) throws(JSONError) in
          switch key {
          case "status": status = try reader.readString()
          case "at" where try reader.peek() == .string: at = try reader.readString()
          default: try reader.skip()
          }
        }
        if status == "accepted", let date = try? Self.timestamps.parse(at) {
          ended = Int64(date.timeIntervalSince1970 * 1_000_000)
        }
      }
    }
    return ended
  }

  private static let timestamps = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// When a token first received a message's push, in microseconds since 1970; nil before that, and if the simulator
  /// keeps only totals. A message's SEQNO is its collapse id.
  func arrivedAt(_ seqno: String, token: String) throws -> Int64? {
    var reader = JSONReader(try simulator.send(HTTPRequest("GET", "/deliveries?token=\(token)")).body)
    var arrived: Int64?
    try reader.readObject { (reader, key) throws(JSONError) in
      guard key == "deliveries" else { return try reader.skip() }
      try reader.readArray { (reader, _) throws(JSONError) in
        var (collapseID, at) = ("", Int64(0))
        try reader.readObject { (reader, key) throws(JSONError) in
          switch key {
          case "collapseId" where try reader.peek() == .string: collapseID = try reader.readString()
          case "atMicroseconds": at = try reader.readInteger()
          default: try reader.skip()
          }
        }
        if collapseID == seqno { arrived = min(arrived ?? .max, at) }
      }
    }
    return arrived
  }

  /// Number of pushes that the simulator has received.
  func pushes() throws -> Int {
    let answer = try simulator.send(HTTPRequest("GET", "/counters"))
    guard let requests = try Fields(answer.body).number["requests"] else {
      throw MeasuringError("the simulator does not count requests")
    }
    return requests
  }

  func call(_ method: String, _ path: String, _ body: String? = nil) throws -> [UInt8] {
    var request = HTTPRequest(
      method, path, headers: [("Authorization", "Bearer \(apiKey)"), ("Content-Type", "application/json")],
      body: Array((body ?? "").utf8))
    request.isRepeatable = method == "GET"
    let answer = try api.send(request)
    guard answer.status < 300 else { throw MeasuringError("\(method) \(path): \(answer.status) \(answer.text)") }
    return answer.body
  }
}

/// An urgent message to one user.
struct UrgentSend {
  let seqno: String
  let token: String
  /// Microseconds since 1970.
  let sentAt: Int64
}

/// The scalar members of a JSON object.
struct Fields {
  private(set) var text: [String: String] = [:]
  private(set) var number: [String: Int] = [:]

  init(_ json: [UInt8]) throws {
    var reader = JSONReader(json)
    var (text, number): ([String: String], [String: Int]) = ([:], [:])
    try reader.readObject { (reader, key) throws(JSONError) in
      switch try reader.peek() {
      case .string: text[key] = try reader.readString()
      case .number: number[key] = Int(try reader.readInteger())
      default: try reader.skip()
      }
    }
    (self.text, self.number) = (text, number)
  }
}
