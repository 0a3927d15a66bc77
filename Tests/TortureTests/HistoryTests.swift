import Foundation
import Testing

@testable import upmc_torture

@Suite struct HistoryTests {
  /// A directory that is gone afterwards.
  private func inDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    try body(directory)
  }

  private func lines(_ path: String) throws -> [[String: Any]] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
  }

  @Test func `a call is an attempt with an end, in terms of what was asked`() throws {
    try inDirectory { directory in
      let history = try History(path: directory + "/h", megabytes: 1)
      let body = #"{"reads":[{"seqno":"7","psid":"t","pushkey":"secret","badgeOption":"update","badge":5}]}"#
      let attempts = try #require(
        HistoryAttempts(history, run: 3, "POST", "/v1/reads", key: nil, body: body))
      attempts.end(attempts.begin(), nil)
      attempts.end(
        attempts.begin(),
        Reply(status: 200, text: #"{"results":[{"seqno":"7","status":"recorded","badge":5}]}"#))
      try history.close()
      let lines = try lines(directory + "/h")
      #expect(lines.map { $0["e"] as? String } == ["history", "invoke", "unknown", "invoke", "ok"])
      #expect(lines.dropFirst().allSatisfy { $0["run"] as? Int == 3 && $0["t"] is Int })
      #expect(lines[1]["process"] as? Int == lines[3]["process"] as? Int)
      #expect(lines[1]["id"] as? Int != lines[3]["id"] as? Int)
      let item = try #require((lines[1]["items"] as? [[Any]])?.first)
      #expect("\(item)" == #"["7", "t", "update", 5]"#)
      #expect("\(try #require(lines[4]["results"]))".contains("recorded"))
      // Keys are not for others.
      #expect(try !String(contentsOfFile: directory + "/h", encoding: .utf8).contains("secret"))
    }
  }

  @Test(arguments: [
    ("DELETE", "/v1/admin/users/u7?appId=a", "", #""op":"erase","user":"u7""#),
    ("POST", "/v1/admin/messages/9/pause", "", #""op":"pause","seqno":"9""#),
    ("GET", "/v1/admin/messages/9", "", #""op":"funnel","seqno":"9""#),
    ("POST", "/v1/admin/messages/9/resend", #"{"to":"failed"}"#, #""op":"resend","key":"k","of":"9""#),
    ("PUT", "/v1/devices/d/badge", #"{"badge":3}"#, #""op":"setBadge","device":"d","value":3"#),
    (
      "POST", "/v1/admin/messages",
      #"{"audience":{"clientUids":["a"]},"badge":{"increment":1},"sms":true,"fallback":{"after":"PT4S"}}"#,
      #""op":"send","key":"k","audience":"users","names":["a"],"badge":["increment",1],"sms":[4,"received"]"#
    ),
    (
      "POST", "/v1/admin/messages", #"{"audience":{"all":true},"badge":{"clear":true}}"#,
      #""op":"send","key":"k","audience":"all","names":null,"badge":["clear",0],"sms":null"#
    ),
  ])
  func `what was asked is told without paths and bodies`(method: String, path: String, body: String, asked: String) {
    #expect(HistoryCall(method, path, key: "k", body: body)?.asked == asked)
  }

  @Test func `a refusal never happened, and a server's failure says nothing`() throws {
    let call = try #require(HistoryCall("POST", "/v1/admin/messages/9/pause", key: nil, body: ""))
    #expect(call.outcome(1, Reply(status: 204, text: "")).kind == "ok")
    #expect(call.outcome(1, Reply(status: 409, text: "{}")).kind == "fail")
    #expect(call.outcome(1, Reply(status: 503, text: "{}")).kind == "unknown")
  }

  @Test func `full files are put aside, and only the newest are kept`() throws {
    try inDirectory { directory in
      let history = try History(path: directory + "/h", megabytes: 1)
      let filling = #""what":"\#(String(repeating: "x", count: 100_000))""#
      for _ in 0..<120 { history.note("run", run: 1, filling) }
      try history.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: directory)
      #expect(names.sorted() == ["h"] + (3...10).map { "h.\($0)" }.sorted())
      for name in names {
        let first = try #require(try lines(directory + "/" + name).first)
        #expect(first["version"] as? Int == 1)
        #expect(first["file"] as? Int == Int(name.dropFirst(2)) ?? 11)
      }
    }
  }
}
