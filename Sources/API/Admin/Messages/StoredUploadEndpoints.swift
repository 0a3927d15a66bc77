internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints that list and delete uploaded media and audience files, and show how much storage they use.
extension Endpoint {
  static let storedUploads: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/apps/{appId}/storage", id: "showStorage", in: .messages, "Show the storage of an app's uploads",
      "With the limits, so that you can make room before an upload is refused.", by: .permission(.send),
      answers: [
        Answer(
          200, "The storage used, and its limits.", StorageUse.object,
          example: """
            {"mediaBytes":48213,"mediaLimit":21474836480,"audienceBytes":1048576,"audienceLimit":34359738368,\
            "importParts":0,"importPartsLimit":2048}
            """)
      ], problems: [.unknownApp], handler: .whole(AdminCall.storage)),
    Endpoint(
      .get, "/v1/admin/uploads", id: "listUploads", in: .messages, "List uploaded pictures, sounds and films",
      "Newest first; what has expired is left out.", by: .permission(.send),
      parameters: [.ofApp(), .limit, .cursor],
      answers: [
        Answer(
          200, "A page of files.", ItemPage<StoredUploadService.Media>.object,
          example: """
            {"items":[{"uploadId":"5Zx0uT3bYw9cQk2Lr8VnAg","url":"https://push.example.com/m/5Zx0uT3bYw9cQk2Lr8VnAg.jpg",\
            "path":"/m/5Zx0uT3bYw9cQk2Lr8VnAg.jpg","contentType":"image/jpeg","bytes":48213,"uploadedBy":null,\
            "createdAt":"2026-12-01T00:00:00Z","expiresAt":"2027-03-01T00:00:00Z"}],"nextCursor":null}
            """)
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.storedMedia)),
    Endpoint(
      .delete, "/v1/admin/uploads/{uploadId}", id: "deleteUpload", in: .messages, "Delete an uploaded file",
      """
      Within a minute nothing is answered in its place, also for messages that were sent; caches on the way may have it for a \
      week. A file that an unfinished message shows is refused with 409.
      """, by: .permission(.manageContent), parameters: [.ofApp()], answers: [Answer(204, "It is gone.")],
      problems: [.invalidField, .unknownApp, .unknownUpload, .conflict], handler: .whole(AdminCall.deleteMedia)),
    Endpoint(
      .get, "/v1/admin/audiences/csv", id: "listAudiences", in: .audiences, "List audiences uploaded as files",
      "Newest first; what has expired is left out.", by: .permission(.send),
      parameters: [.ofApp(), .limit, .cursor],
      answers: [
        Answer(
          200, "A page of files.", ItemPage<StoredUploadService.File>.object,
          example: """
            {"items":[{"csvId":"5","lines":2,"createdAt":"2026-11-21T09:30:00.123Z","expiresAt":"2026-11-28T09:30:00.123Z"}],\
            "nextCursor":null}
            """)
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.storedAudiences)),
    Endpoint(
      .delete, "/v1/admin/audiences/csv/{csvId}", id: "deleteAudience", in: .audiences, "Delete an uploaded audience",
      "Its lines are gone at once. A file that an unfinished message goes to is refused with 409.",
      by: .permission(.manageAudiences), load: .heavy, parameters: [.ofApp()], answers: [Answer(204, "It is gone.")],
      problems: [.invalidField, .unknownApp, .unknownUpload, .conflict], handler: .whole(AdminCall.deleteAudience)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let storedUploadSchemas: [JSONTree.Member] = [
    StoredUploadService.Media.object.named, ItemPage<StoredUploadService.Media>.object.named,
    StoredUploadService.File.object.named, ItemPage<StoredUploadService.File>.object.named,
    StorageUse.object.named,
  ]
}

extension AdminCall {
  fileprivate func storage() throws(Problem) -> Response {
    .json(.ok, try StorageUse.of(parameters["appId"], by: caller, on: connection))
  }

  fileprivate func storedMedia() throws(Problem) -> Response {
    .json(
      .ok,
      try StoredUploadService.media(
        of: try required("appId"), try page(), hosting: resources.hosting, by: caller, on: connection, now: now))
  }

  fileprivate func deleteMedia() throws(Problem) -> Response {
    try StoredUploadService.deleteMedia(
      parameters["uploadId"], of: try required("appId"), by: caller, on: connection)
    return .done
  }

  fileprivate func storedAudiences() throws(Problem) -> Response {
    .json(
      .ok,
      try StoredUploadService.files(of: try required("appId"), try page(), by: caller, on: connection, now: now))
  }

  fileprivate func deleteAudience() throws(Problem) -> Response {
    guard let csv = Int64(parameters["csvId"]) else {
      throw Problem(.unknownUpload, "An audience file is named by a whole number, as lists show it.")
    }
    try StoredUploadService.deleteFile(csv, of: try required("appId"), by: caller, on: connection)
    return .done
  }
}
