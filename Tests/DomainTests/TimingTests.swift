import Testing

@testable import Domain

/// The fields of a send that say when and how fast.
@Suite struct TimingTests {
  private func request(_ members: String) throws(Problem) -> MessageRequest {
    try MessageRequest(
      json: Array(#"{"appId":"a","audience":{"all":true},"alert":"hi",\#(members)}"#.utf8))
  }

  private func pointer(_ members: String) -> String? {
    do throws(Problem) {
      _ = try request(members)
      return nil
    } catch {
      return error.fields.first?.pointer
    }
  }

  @Test func `all of them are read`() throws {
    let request = try request(
      #"""
      "localTime":"2026-12-24T09:00","repeat":{"every":"month","until":"2027-12-31"},
      "window":{"from":"21:00","to":"08:00","zone":"device"},"pace":{"perSecond":5},
      "canary":{"percent":2,"wait":"PT1M","maxRejectedPercent":20}
      """#)
    #expect(request.timing == LocalTime("2026-12-24T09:00").map { .local($0) })
    #expect(request.repetition?.unit == .month && request.repetition?.until.text == "2027-12-31")
    #expect(request.window?.opens.text == "21:00:00" && request.window?.closes.text == "08:00:00")
    #expect(request.window?.zone == .device)
    #expect(request.pace == Pace(devices: 5))
    #expect(request.canary == Canary(size: .percent(2), waitSeconds: 60, maxRejectedPercent: 20))
  }

  @Test func `without a wish it is now, as fast as it can`() throws {
    let request = try request(#""window":{"from":"08:00","to":"21:00"}"#)
    #expect(request.timing == .now && request.repetition == nil && request.pace == nil && request.canary == nil)
    #expect(request.window?.zone == .app)
    #expect(try self.request(#""canary":{"devices":9}"#).canary?.waitSeconds == 300)
  }

  @Test(arguments: [
    (#""sendAt":"2026-12-24T09:00""#, "/sendAt"), (#""localTime":"2026-12-24T09:00Z""#, "/localTime"),
    (#""localTime":"2026-12-24T09:00","sendAt":"2026-12-24T09:00:00Z""#, "/localTime"),
    (#""repeat":{"every":"day","until":"2027-01-01"}"#, "/repeat"),
    (#""sendAt":"2026-12-24T09:00:00Z","repeat":{"every":"year","until":"2027-01-01"}"#, "/repeat/every"),
    (#""sendAt":"2026-12-24T09:00:00Z","repeat":{"every":"day"}"#, "/repeat/until"),
    (#""sendAt":"2026-12-24T09:00:00Z","repeat":{"until":"2027-01-01"}"#, "/repeat/every"),
    (#""window":{"from":"08:00"}"#, "/window/to"), (#""window":{"from":"08:00","to":"08:00"}"#, "/window/to"),
    (#""window":{"from":"8","to":"21:00"}"#, "/window/from"),
    (#""window":{"from":"08:00","to":"21:00","zone":"moon"}"#, "/window/zone"),
    (#""canary":{}"#, "/canary"), (#""canary":{"devices":1,"percent":1}"#, "/canary"),
    (#""canary":{"percent":51}"#, "/canary/percent"), (#""pace":5"#, "/pace"),
  ])
  func `what makes no sense is named`(members: String, expected: String) {
    #expect(pointer(members) == expected)
  }
}
