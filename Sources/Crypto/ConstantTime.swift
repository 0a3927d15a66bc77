/// Comparing what somebody has sent with what is right, so that the time tells nothing of where they differ.
package enum ConstantTime {
  /// Returns early only when the lengths differ: the expected length is no secret.
  ///
  /// Takes arrays only: a generic version is not specialised across modules, and costs more than the digest itself.
  package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
