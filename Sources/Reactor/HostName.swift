internal import Glibc

/// What this machine is called.
package enum HostName {
  /// Empty when it has no name.
  package static let current: String = {
    var name = [CChar](repeating: 0, count: 256)
    // Safe: one byte stays 0 whatever is written.
    guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()
}
