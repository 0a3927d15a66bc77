internal import Domain
internal import HTTPServer
internal import Operations

/// `POST /v1/admin/uploads?appId=…`: a picture, sound or film for notifications; the body is the file itself.
extension AdminCall {
  func upload() throws(Problem) -> Response {
    guard let appID = query["appId"], !appID.isEmpty else {
      throw Problem(.invalidField, "Name the app in the address: /v1/admin/uploads?appId=…")
    }
    let uploaded = try UploadService.upload(
      UploadService.Request(
        appID: appID, contentType: request.header("content-type"), body: request.source,
        expiresIn: query["expiresIn"], caller: caller, hosting: resources.hosting),
      on: connection, catalog: resources.catalog, now: now)
    return .json(.created, uploaded)
  }
}
