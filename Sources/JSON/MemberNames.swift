/// The names of one object so far, to find one that is given twice.
///
/// Nearly all objects have a dozen names: those are compared one by one, which costs less than to hash them. Beyond that a
/// set keeps the work for each name the same, however many there are.
struct MemberNames {
  private var few: [String] = []
  private var many: Set<String> = []

  var count: Int { many.isEmpty ? few.count : many.count }

  /// False when it was there already.
  mutating func insert(_ name: String) -> Bool {
    guard many.isEmpty else { return many.insert(name).inserted }
    if few.isEmpty {
      // One allocation for what a device sends, instead of one for each doubling.
      few.reserveCapacity(8)
    } else if few.contains(name) {
      return false
    }
    few.append(name)
    if few.count > JSON.Limits.comparedNames { many = Set(few) }
    return true
  }
}
