internal import Glibc

/// The host name of this machine.
package enum HostName {
  /// The host name when it was first read; empty if it cannot be determined.
  package static let current: String = {
    var name = [CChar](repeating: 0, count: 256)
    // Safe: the last byte stays 0 whatever is written.
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()
}
