/// Compares secrets without revealing by timing where they differ.
package enum ConstantTime {
  /// Returns true if both are equal. Returns early only if the lengths differ, because the expected length is not
  /// secret.
  ///
  /// Not generic, because a generic function would not be specialized across modules and would take longer than
  /// computing the digest.
  package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
