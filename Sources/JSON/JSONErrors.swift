/// Collects the errors of an object's members, or of a list's elements: an invalid one is skipped, and the rest is
/// read. Decision 155.
struct JSONErrors {
  private(set) var all: [JSONError] = []

  /// Records an error of a member, and skips its value so that reading can go on.
  /// - Parameters:
  ///   - place: the location at which the value begins.
  ///   - name: the member's name, or the element's index.
  /// - Throws: the error, as the member's own, if the text cannot be read any further.
  mutating func note(
    _ error: JSONError, of name: String, in reader: inout JSONReader, from place: JSONReader.Place
  ) throws(JSONError) {
    // A text of our own is not rejected for one member, so nobody needs a list of its errors.
    guard !error.isMalformed, !reader.ignoresUnknownFields else { throw error }
    reader.go(to: place)
    try reader.skip()
    add(error.inside(name))
  }

  mutating func add(_ error: JSONError) {
    all += error.all.prefix(max(0, JSON.Limits.errors - all.count))
  }
}
