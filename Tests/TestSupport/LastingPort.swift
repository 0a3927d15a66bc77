internal import Reactor

/// A port for a program that stops and comes back to it.
///
/// The kernel gives ports of its own range to whoever connects, also while the program is away; so it is taken from below
/// that range, where nobody is but who asked for that very port.
package enum LastingPort {
  /// - Throws: when not one of a hundred is free, which no machine of tests has ever had.
  package static func find() throws -> UInt16 {
    var failure = SystemError(code: 0, operation: "no port was tried")
    for _ in 0..<100 {
      let port = UInt16.random(in: 15_000..<32_000)
      do throws(SystemError) {
        _ = try Socket.listen(on: try SocketAddress.resolve(host: "127.0.0.1", port: port)[0])
        return port
      } catch {
        failure = error
      }
    }
    throw failure
  }
}
