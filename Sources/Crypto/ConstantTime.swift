/// Comparing what somebody has sent with what is right, so that the time tells nothing of where they differ.
package enum ConstantTime {
  /// Only different lengths end early: how long the right one is, is no secret.
  package static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
    left.count == right.count && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
