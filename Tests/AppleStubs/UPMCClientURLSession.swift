// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, NoLeadingUnderscores

public import UPMCClient

/// The interface of the target of this name. Its source is compiled and run elsewhere, against the open-source Foundation,
/// which cannot be loaded beside the stub.
public struct URLSessionTransport: Transport, Sendable {
  public init() {}
  public func close() {}
  public func send(
    _ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void
  ) {}
}
