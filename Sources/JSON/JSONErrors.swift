/// The errors of an object's members, or of a list's elements: a wrong one is passed over, and the rest is read.
/// Decision 155.
struct JSONErrors {
  private(set) var all: [JSONError] = []

  /// Records an error of a member, and skips its value so that reading can go on.
  /// - Parameters:
  ///   - place: where the value begins.
  ///   - name: the member's name, or the element's index.
  /// - Throws: the error, as the member's own, if the text cannot be read any further.
  mutating func note(
    _ error: JSONError, of name: String, in reader: inout JSONReader, from place: JSONReader.Place
  ) throws(JSONError) {
    // A text of our own is not refused for one member, so nobody waits for a list of what is wrong in it.
    guard !error.isMalformed, !reader.ignoresUnknownFields else { throw error }
    reader.go(to: place)
    try reader.skip()
    add(error.inside(name))
  }

  mutating func add(_ error: JSONError) {
    all += error.all.prefix(max(0, JSON.Limits.errors - all.count))
  }
}
