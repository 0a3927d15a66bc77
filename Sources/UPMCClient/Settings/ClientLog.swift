/// Receives the client's log lines; off by default. Lines never contain keys, whole tokens or message texts.
public struct ClientLog: Sendable {
  /// Called with each line; nil if the log is off.
  private let write: (@Sendable (String) -> Void)?

  /// Discards all lines.
  public static let off = ClientLog(nil)

  /// Creates a log.
  /// - Parameter write: called with each line, on any thread; nil switches the log off.
  public init(_ write: (@Sendable (String) -> Void)?) {
    self.write = write
  }

  /// Prints each line to standard output, which Xcode displays.
  public static let console = ClientLog { print("UPMC: \($0)") }

  /// Logs a line, which is not evaluated if the log is off.
  public func callAsFunction(_ line: @autoclosure () -> String) {
    write?(line())
  }
}
