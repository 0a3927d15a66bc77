/// Compares received with expected bytes without revealing by timing where they differ.
package enum ConstantTime {
  /// Returns early only if the lengths differ: the expected length is no secret.
  ///
  /// Takes only arrays: a generic version would not be specialised across modules and would cost more than the digest
  /// itself.
  package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
