import Testing

@testable import Server

@Suite struct StandingFaultsTests {
  private static let over = "over"

  /// One whole look. Returns what is to be said of it.
  private func look(_ faults: inout StandingFaults, _ found: String...) -> [String] {
    faults.begin()
    var said: [String] = []
    for fault in found where faults.isNew(fault) { said.append(fault) }
    return faults.end() ? said + [Self.over] : said
  }

  @Test func `a fault is said once while it lasts, then its end, and its return`() {
    var faults = StandingFaults()
    var said: [[String]] = []
    said.append(look(&faults))
    said.append(look(&faults, "file"))
    said.append(look(&faults, "file"))
    said.append(look(&faults))
    said.append(look(&faults))
    said.append(look(&faults, "file"))
    #expect(said == [[], ["file"], [], [Self.over], [], ["file"]])
  }

  @Test func `two faults that last do not take turns in being said, and each has its own end`() {
    var faults = StandingFaults()
    var said: [[String]] = []
    said.append(look(&faults, "file", "sealing"))
    said.append(look(&faults, "file", "sealing"))
    said.append(look(&faults, "sealing"))
    said.append(look(&faults, "file", "sealing"))
    said.append(look(&faults))
    #expect(said == [["file", "sealing"], [], [], ["file"], [Self.over]])
  }

  @Test func `a look that was cut short ends nothing`() {
    var faults = StandingFaults()
    var said = [look(&faults, "file")]
    // Nothing is found before the database fails the look.
    faults.begin()
    said.append(look(&faults, "file"))
    #expect(said == [["file"], []])
  }
}
