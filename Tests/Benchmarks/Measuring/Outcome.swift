internal import JSON

/// A scenario's result: its comparisons and requirements, or why there are none.
struct Outcome: Sendable {
  let scenario: String
  var comparisons: [Comparison] = []
  var requirements: [Requirement] = []
  /// Context needed to interpret the figures, for example the number of stored rows.
  var circumstances: [(name: String, value: String)] = []
  var failure: String?

  init(scenario: String, failure: String? = nil) {
    self.scenario = scenario
    self.failure = failure
  }

  var isMet: Bool {
    failure == nil && !(comparisons.isEmpty && requirements.isEmpty) && comparisons.allSatisfy(\.isMet)
      && requirements.allSatisfy(\.isMet)
  }

  /// The comparison that represents the scenario: the one furthest from its target, so that nothing is glossed over.
  var weakest: Comparison? {
    let judged = comparisons.filter { $0.target != nil }
    return (judged.isEmpty ? comparisons : judged).min { $0.ratio / ($0.target ?? 1) < $1.ratio / ($1.target ?? 1) }
  }

  // MARK: JSON

  /// One object on one line.
  var json: String {
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("scenario", scenario)
      let weakest = failure == nil ? weakest : nil
      write(weakest?.value, "value", &writer)
      writer.member("unit", weakest?.unit)
      writer.member("peer", weakest?.peer)
      write(weakest?.peerValue, "peerValue", &writer)
      write(weakest?.ratio, "ratio", &writer)
      write(weakest?.target, "target", &writer)
      writer.member("met", isMet)
      writer.member("details", object: writeDetails)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func writeDetails(_ writer: inout JSONWriter) {
    if let failure { writer.member("failure", failure) }
    for (name, value) in circumstances { writer.member(name, value) }
    if let weakest { writer.member("case", weakest.label) }
    writer.name("comparisons")
    writer.array { writer in
      for comparison in comparisons { writer.object { writer in write(comparison, &writer) } }
    }
    writer.name("requirements")
    writer.array { writer in
      for requirement in requirements { writer.object { writer in write(requirement, &writer) } }
    }
  }

  private func write(_ comparison: Comparison, _ writer: inout JSONWriter) {
    writer.member("case", comparison.label)
    write(comparison.value, "value", &writer)
    writer.member("unit", comparison.unit)
    writer.member("peer", comparison.peer)
    write(comparison.peerValue, "peerValue", &writer)
    write(comparison.ratio, "ratio", &writer)
    write(comparison.target, "target", &writer)
    writer.member("met", comparison.isMet)
    for (name, value) in comparison.details { write(value, name, &writer) }
    writer.name("pairs")
    writer.array { writer in
      for pair in comparison.pairs {
        writer.array { writer in
          writer.raw(Self.number(pair.ours))
          writer.raw(Self.number(pair.peers))
        }
      }
    }
  }

  private func write(_ requirement: Requirement, _ writer: inout JSONWriter) {
    writer.member("case", requirement.label)
    write(requirement.value, "value", &writer)
    writer.member("unit", requirement.unit)
    write(requirement.limit, requirement.side.rawValue, &writer)
    writer.member("met", requirement.isMet)
  }

  private func write(_ value: Double?, _ name: String, _ writer: inout JSONWriter) {
    writer.name(name)
    if let value { writer.raw(Self.number(value)) } else { writer.null() }
  }

  /// Four significant digits, enough for a measurement and short to read; whole numbers from 1,000 on.
  static func number(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    let magnitude = value.magnitude
    if magnitude >= 1000 || magnitude == magnitude.rounded() { return String(Int(value.rounded())) }
    let scale: Double = magnitude >= 100 ? 10 : magnitude >= 10 ? 100 : 1000
    return String((value * scale).rounded() / scale)
  }
}
