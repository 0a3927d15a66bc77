internal import Domain
internal import HTTPServer
package import Operations

/// Who may bring a body of many megabytes: asked when the head of a request is there, before any of its body is awaited, so
/// that nobody without a good API key can fill the memory.
package struct UploadGate {
  private let catalog: Catalog

  package init(catalog: Catalog) {
    self.catalog = catalog
  }

  /// Bytes of the body; nil when it may have no more than that of any other request.
  func limit(for request: Request) -> Int? {
    // The method is not known yet when this is asked; no other one leads anywhere.
    let limit: Int? =
      if request.pathEquals("/v1/admin/uploads") {
        Admin.Limits.uploadBytes
      } else if request.pathEquals("/v1/admin/audiences/csv") {
        Admin.Limits.csvBytes
      } else {
        nil
      }
    guard let limit, let token = request.bearerToken, let caller = catalog.caller(apiKey: token),
      (try? caller.require(.send)) != nil
    else { return nil }
    return limit
  }
}
