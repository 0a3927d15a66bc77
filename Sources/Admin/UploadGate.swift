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

  func allows(_ request: Request) -> Bool {
    // The method is not known yet when this is asked; no other one leads anywhere.
    guard request.pathEquals("/v1/admin/uploads"), let token = request.bearerToken,
      let caller = catalog.caller(apiKey: token)
    else { return false }
    return (try? caller.require(.send)) != nil
  }
}
