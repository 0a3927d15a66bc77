/// The faults that a repeated check finds, so that each is logged once while it lasts, and again when it comes back.
struct StandingFaults {
  /// The faults of the last complete check, and those that the present check has found so far.
  private var known: Set<String> = []
  private var found: Set<String> = []

  /// Begins a check.
  mutating func begin() { found = [] }

  /// Notes a fault of the present check. Returns true if it is to be logged, because the last check did not find it.
  mutating func isNew(_ fault: String) -> Bool {
    found.insert(fault)
    return known.insert(fault).inserted
  }

  /// Ends a complete check: faults that it has not found are over. Returns true if there were faults before and there
  /// are none now.
  mutating func end() -> Bool {
    defer { known = found }
    return found.isEmpty && !known.isEmpty
  }
}
