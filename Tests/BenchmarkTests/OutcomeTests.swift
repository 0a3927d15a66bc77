import Foundation
import Testing

@testable import upmc_benchmark

@Suite struct OutcomeTests {
  private func comparison(_ label: String, target: Double?, _ pairs: [(ours: Double, peers: Double)]) -> Comparison {
    Comparison(label: label, unit: "requests/s", peer: "nginx", target: target, pairs: pairs)
  }

  private func object(_ outcome: Outcome) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(outcome.json.utf8)) as? [String: Any])
  }

  @Test(arguments: [([], 0), ([3], 3), ([1, 9], 5), ([9, 1, 5], 5), ([1, 2, 3, 100], 2.5)] as [([Double], Double)])
  func `the median is the middle, or the mean of the two in the middle`(values: [Double], median: Double) {
    #expect(Median.of(values) == median)
  }

  @Test func `the ratio is the median of the pairs' ratios, not the ratio of the medians`() {
    let compared = comparison("GET", target: 1, [(10, 10), (20, 40), (90, 30)])
    #expect(compared.value == 20)
    #expect(compared.peerValue == 30)
    #expect(compared.ratio == 1)
    #expect(compared.isMet)
  }

  @Test func `an object for programs has the agreed names, and the weakest case in front`() throws {
    var outcome = Outcome(scenario: "H1")
    outcome.comparisons = [
      comparison("GET", target: 1.2, [(150, 100)]), comparison("POST", target: 1.2, [(110, 100)]),
      comparison("for information", target: nil, [(1, 100)]),
    ]
    let object = try object(outcome)
    #expect(
      Set(object.keys) == ["scenario", "value", "unit", "peer", "peerValue", "ratio", "target", "met", "details"])
    #expect(object["scenario"] as? String == "H1")
    #expect(object["value"] as? Double == 110)
    #expect(object["peerValue"] as? Double == 100)
    #expect(object["ratio"] as? Double == 1.1)
    #expect(object["target"] as? Double == 1.2)
    #expect(object["unit"] as? String == "requests/s")
    #expect(object["peer"] as? String == "nginx")
    #expect(object["met"] as? Bool == false)
    let details = try #require(object["details"] as? [String: Any])
    #expect(details["case"] as? String == "POST")
    #expect((details["comparisons"] as? [Any])?.count == 3)
    #expect(!outcome.json.contains("\n"))
  }

  @Test func `all targets and requirements must be met`() throws {
    var outcome = Outcome(scenario: "H2")
    #expect(!outcome.isMet)
    outcome.comparisons = [comparison("receipts", target: 4, [(5, 1)])]
    #expect(outcome.isMet)
    outcome.requirements = [Requirement(label: "p99", unit: "ms", value: 5, side: .atMost, limit: 5)]
    #expect(outcome.isMet)
    outcome.requirements.append(Requirement(label: "rate", unit: "/s", value: 79_999, side: .atLeast, limit: 80_000))
    #expect(try object(outcome)["met"] as? Bool == false)
  }

  @Test func `a scenario that could not be measured is not met, and says why`() throws {
    let object = try object(Outcome(scenario: "P1", failure: "aioapns is not installed"))
    #expect(object["met"] as? Bool == false)
    #expect(object["value"] is NSNull)
    #expect((object["details"] as? [String: Any])?["failure"] as? String == "aioapns is not installed")
    #expect(Outcome(scenario: "P1", failure: "why").table.contains("FAILED: why"))
  }

  @Test(arguments: [
    (0, "0"), (1, "1"), (0.96512, "0.965"), (12.3456, "12.35"), (123.456, "123.5"), (1234.5, "1235"),
    (.infinity, "null"), (-0.5, "-0.5"),
  ])
  func `numbers are short`(number: Double, text: String) {
    #expect(Outcome.number(number) == text)
  }

  @Test func `the table has a line for each comparison and requirement`() {
    var outcome = Outcome(scenario: "H2")
    outcome.comparisons = [comparison("receipts", target: 4, [(5000, 1000)])]
    outcome.requirements = [Requirement(label: "p99", unit: "ms", value: 7.5, side: .atMost, limit: 5)]
    let lines = outcome.table.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].contains("5 ×") && lines[1].contains("≥ 4 ×") && lines[1].contains("met"))
    #expect(lines[2].contains("7.5 ms") && lines[2].contains("≤ 5") && lines[2].contains("MISSED"))
  }
}
