import Testing

@testable import Domain

@Suite struct ISODurationTests {
  @Test(arguments: [
    ("PT0S", Int64(0)), ("PT30S", 30), ("PT10M", 600), ("PT2H", 7200), ("P1D", 86_400), ("P1W", 604_800),
    ("P1DT12H", 129_600),
    ("P2W3DT4H5M6S", 1_483_506), ("PT90M", 5400), ("P30D", 2_592_000),
  ])
  func `days and smaller are seconds`(text: String, seconds: Int64) {
    #expect(ISODuration.seconds(text) == seconds)
  }

  @Test(arguments: [
    "", "P", "PT", "P1", "1D", "P1Y", "P1M", "PT1", "P1DT", "PT1D", "P1H", "PT5M2H", "PT1M1M", "P-1D", "PT1.5H", "p1d",
    "P1D ", " P1D", "PTT1S", "PT1234567890S", "P１D",
  ])
  func `anything else is none`(text: String) {
    #expect(ISODuration.seconds(text) == nil)
  }
}
