/// The faults that a repeated look finds, so that each is logged once while it lasts, and again when it comes back.
struct StandingFaults {
  /// Those of the last whole look, and those that the present look has found so far.
  private var known: Set<String> = []
  private var found: Set<String> = []

  /// Begins a look.
  mutating func begin() { found = [] }

  /// Notes a fault of the present look. Returns true if it is to be logged, because the last look did not find it.
  mutating func isNew(_ fault: String) -> Bool {
    found.insert(fault)
    return known.insert(fault).inserted
  }

  /// Ends a look that has seen everything: what it has not found is over. Returns true if there were faults and now
  /// there are none.
  mutating func end() -> Bool {
    defer { known = found }
    return found.isEmpty && !known.isEmpty
  }
}
