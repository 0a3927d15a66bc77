/// Comparing what somebody has sent with what is right, so that the time tells nothing of where they differ.
package enum ConstantTime {
  /// Only different lengths end early: how long the right one is, is no secret.
  ///
  /// Of arrays alone: generic, it would not be specialised for other modules, and cost more than the digest.
  package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
