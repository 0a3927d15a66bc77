/// The names of an object's members read so far, to detect duplicates.
///
/// Nearly all objects have at most a dozen names, for which comparing one by one is cheaper than hashing. For larger
/// objects, a set keeps the cost per name constant.
struct MemberNames {
  private var few: [String] = []
  private var many: Set<String> = []

  var count: Int { many.isEmpty ? few.count : many.count }

  /// Adds a name. Returns false if it is already present.
  mutating func insert(_ name: String) -> Bool {
    guard many.isEmpty else { return many.insert(name).inserted }
    if few.isEmpty {
      // Avoid a second allocation for the usual number of members.
      few.reserveCapacity(8)
    } else if few.contains(name) {
      return false
    }
    few.append(name)
    if few.count > JSON.Limits.comparedNames { many = Set(few) }
    return true
  }
}
