/// Where the client says what it does; off until an app switches it on. Lines never hold keys, whole tokens or texts of
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

  /// Takes a line, which is only made when somebody reads it.
  public func callAsFunction(_ line: @autoclosure () -> String) {
    write?(line())
  }
}
