/// The client's log; off until an app switches it on. Lines never hold keys, whole tokens or texts of
/// messages.
public struct ClientLog: Sendable {
  /// Takes a line.
  private let write: (@Sendable (String) -> Void)?

  /// Says nothing.
  public static let off = ClientLog(nil)

  /// - Parameter write: takes each line, from any thread; nil switches the log off.
  public init(_ write: (@Sendable (String) -> Void)?) {
    self.write = write
  }

  /// Writes to the standard output, which Xcode shows.
  public static let console = ClientLog { print("UPMC: \($0)") }

  /// Writes a line. It is not built while the log is off.
  public func callAsFunction(_ line: @autoclosure () -> String) {
    write?(line())
  }
}
