internal import Domain
internal import HTTPServer
package import Operations

/// Who may bring a body of many megabytes: asked when the head of a request is there, before any of its body is awaited, so
/// that nobody without a good API key can fill the memory or the disk. Who comes with a console session cannot be asked here,
/// where there is no database: such bodies may take half of the disk's room, until an admin thread has looked.
package struct UploadGate {
  private let catalog: Catalog
  private let isSecure: Bool

  /// - Parameter isSecure: true when browsers reach the console by HTTPS only.
  package init(catalog: Catalog, isSecure: Bool = false) {
    self.catalog = catalog
    self.isSecure = isSecure
  }

  /// Bytes of the body; nil when it may have no more than that of any other request.
  func limit(for request: Request) -> Int? { share(of: request) == .noFile ? nil : Self.limit(of: request) }

  /// `.noFile` for what is no file, or nobody's.
  func share(of request: Request) -> SpoolShare {
    guard Self.limit(of: request) != nil else { return .noFile }
    guard let token = request.bearerToken else {
      return SessionCookie.token(in: request.headers, isSecure: isSecure) == nil ? .noFile : .half
    }
    guard let caller = catalog.caller(apiKey: token), (try? caller.require(.send)) != nil else { return .noFile }
    return .whole
  }

  /// The method is not known yet when this is asked; no other one leads anywhere.
  private static func limit(of request: Request) -> Int? {
    if request.pathEquals("/v1/admin/uploads") { return Admin.Limits.uploadBytes }
    if request.pathEquals("/v1/admin/audiences/csv") { return Admin.Limits.csvBytes }
    return nil
  }
}
