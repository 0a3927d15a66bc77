import Reactor
import Testing

@testable import Server

@Suite struct LogLineTests {
  private func line(_ value: String, message: String = "no access token") -> String {
    LogLine.text(
      time: "T", level: "warning", part: "fcm", message: message, details: [("account", "a@b"), ("reason", value)])
  }

  @Test func `words and values stand as they are`() {
    #expect(line("refused") == #"time=T level=warning part=fcm msg="no access token" account=a@b reason=refused"#)
    #expect(line("토큰😀") == #"time=T level=warning part=fcm msg="no access token" account=a@b reason=토큰😀"#)
    #expect(line(#"C:\keys"#) == #"time=T level=warning part=fcm msg="no access token" account=a@b reason=C:\keys"#)
  }

  @Test func `a value with spaces or quotes is quoted, and cannot look like another`() {
    #expect(line("status 500 level=error").hasSuffix(#" reason="status 500 level=error""#))
    #expect(line(#"a" level="error"#).hasSuffix(#" reason="a\" level=\"error""#))
    #expect(line(#"\" x"#).hasSuffix(#" reason="\\\" x""#))
    #expect(line("").hasSuffix(#" reason="""#))
  }

  @Test(arguments: [
    ("\n", #"\u000a"#), ("\r", #"\u000d"#), ("\r\n", #"\u000d\u000a"#), ("\u{1B}", #"\u001b"#), ("\u{0}", #"\u0000"#),
    ("\t", #"\u0009"#), ("\u{7F}", #"\u007f"#), ("\u{85}", #"\u0085"#), ("\u{9B}", #"\u009b"#),
    ("\u{2028}", #"\u2028"#), ("\u{2029}", #"\u2029"#), ("\u{202E}", #"\u202e"#), ("\u{2066}", #"\u2066"#),
    ("\u{FEFF}", #"\ufeff"#),
  ]) func `what begins a line or reaches the terminal is written out`(_ hostile: String, _ shown: String) {
    let forged = "invalid_grant\(hostile)2026-01-01T00:00:00Z error admin: forged"
    #expect(line(forged).hasSuffix(#" reason="invalid_grant\#(shown)2026-01-01T00:00:00Z error admin: forged""#))
    #expect(line("x", message: forged).hasPrefix("time=T level=warning part=fcm msg=\"invalid_grant\(shown)2026"))
    #expect(line("a\(hostile)b").hasSuffix(#" reason="a\#(shown)b""#))
  }

  @Test func `what repeats is written at once, then once a minute with how many were held back`() {
    let lines = RepeatedLines()
    func judge(_ line: String, _ second: Int64) -> RepeatedLines.Judgement {
      lines.judge(line, at: Instant(nanoseconds: second * 1_000_000_000))
    }
    #expect(judge("away", 1) == .write(repeated: 0))
    for second in 2...60 { #expect(judge("away", Int64(second)) == .hold) }
    #expect(judge("another", 30) == .write(repeated: 0))
    #expect(judge("away", 61) == .write(repeated: 59))
    #expect(judge("away", 62) == .hold)
    // However many different ones there are, none is lost, and no memory either.
    for number in 0..<1_000 { #expect(judge("line \(number)", 63) == .write(repeated: 0)) }
    #expect(judge("away", 130) == .write(repeated: 1))
  }

  @Test func `a fault that is over is written at once when it begins again`() {
    let lines = RepeatedLines()
    let now = Instant(nanoseconds: 1_000_000_000)
    #expect(lines.end("fault database", at: now) == nil)
    #expect(lines.judge("fault database", at: now) == .write(repeated: 0))
    #expect(lines.judge("fault database", at: now) == .hold)
    #expect(lines.end("fault database", at: now) == 1)
    #expect(lines.end("fault database", at: now) == nil)
    // A thread that has not heard of it.
    #expect(lines.judge("fault database", at: now + .milliseconds(1_999)) == .hold)
    #expect(lines.judge("fault database", at: now + .seconds(2)) == .write(repeated: 0))
    #expect(lines.judge("fault database", at: now + .seconds(3)) == .hold)
  }

  @Test func `objects that may name a person stay out of the log`() {
    for action in ["app.pause", "credential.set", "message.send", "api-key.revoke"] {
      #expect(CommandLineLog.namesNobody(action))
    }
    for action in [
      "user.erase", "account.create", "tags.change", "quarantine.restore", "session.sign-in", "device.add",
    ] {
      #expect(!CommandLineLog.namesNobody(action))
    }
  }

  @Test func `a long value is cut between characters, and says so`() {
    for (count, isWhole) in [(LogLine.valueBytes, true), (LogLine.valueBytes + 1, false)] {
      #expect(LogLine.bounded(String(repeating: "x", count: count)).hasSuffix("(1 bytes more)") == !isWhole)
    }
    for offset in 0..<4 {
      let cut = LogLine.bounded(String(repeating: "x", count: offset) + String(repeating: "😀", count: 1_000))
      #expect(!cut.contains("\u{FFFD}") && cut.utf8.count < LogLine.valueBytes + 40)
    }
    #expect(line(String(repeating: "x", count: 10_000_000)).utf8.count < 2_300)
  }
}
