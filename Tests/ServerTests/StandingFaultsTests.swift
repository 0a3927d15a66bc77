import Testing

@testable import Server

@Suite struct StandingFaultsTests {
  private static let over = "over"

  /// One complete check. Returns what is to be logged.
  private func look(_ faults: inout StandingFaults, _ found: String...) -> [String] {
    faults.begin()
    var said: [String] = []
    for fault in found where faults.isNew(fault) { said.append(fault) }
    return faults.end() ? said + [Self.over] : said
  }

  @Test func `a fault is logged once while it lasts, then its end and its return`() {
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

  @Test func `two lasting faults are each logged once, and each ends on its own`() {
    var faults = StandingFaults()
    var said: [[String]] = []
    said.append(look(&faults, "file", "sealing"))
    said.append(look(&faults, "file", "sealing"))
    said.append(look(&faults, "sealing"))
    said.append(look(&faults, "file", "sealing"))
    said.append(look(&faults))
    #expect(said == [["file", "sealing"], [], [], ["file"], [Self.over]])
  }

  @Test func `an incomplete check ends no fault`() {
    var faults = StandingFaults()
    var said = [look(&faults, "file")]
    // The database fails before the check has found anything.
    faults.begin()
    said.append(look(&faults, "file"))
    #expect(said == [["file"], []])
  }
}
