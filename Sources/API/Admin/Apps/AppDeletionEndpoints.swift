internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints that delete an app, and cancel the deletion.
extension Endpoint {
  static let appDeletions: [Endpoint] = [
    Endpoint(
      .delete, "/v1/admin/apps/{appId}", id: "deleteApp", in: .administration, "Delete an app",
      """
      Not at once: for `graceDays` it is `deleting`. Nothing of it is sent or changed, devices and senders get a 409; it can \
      be read and exported, persons can be erased, and it can be restored. Then everything that is stored of it is removed, \
      but for the audit log, also the keys and accounts that are only for it. Its id is never used again. Only a \
      credential for all apps may do this.
      """, by: .permission(.manageApps),
      parameters: [
        .query("confirm", JSONSchema.appID, "The app's id, typed again.", isNeeded: true),
        .query(
          "graceDays",
          JSONSchema.number(
            Int64(Operations.Limits.graceDays.lowerBound)...Int64(Operations.Limits.graceDays.upperBound)
          ).adding("default", .number(Int(Operations.Limits.usualGraceDays))), "Days until it is removed."),
      ],
      answers: [
        Answer(200, "The app, with the end of its grace.", Administration.AppEntry.object, example: deletedApp)
      ],
      problems: [.invalidField, .unknownApp, .impossible, .conflict], handler: .whole(AdminCall.deleteApp)),
    Endpoint(
      .post, "/v1/admin/apps/{appId}/restore", id: "restoreApp", in: .administration, "Take an app's deletion back",
      "Within its grace. It is as it was: paused, if it was paused before.", by: .permission(.manageApps),
      answers: [Answer(200, "The app.", Administration.AppEntry.object, example: exampleApp)],
      problems: [.unknownApp, .conflict], handler: .whole(AdminCall.restoreApp)),
  ]

  private static let deletedApp = exampleApp(
    """
    "pausedReason":"It is being deleted; `upmc app restore` takes that back.","state":"deleting",\
    "purgeAfter":"2026-12-21T09:30:00.123Z","purgedRows":null
    """)
}

extension AdminCall {
  fileprivate func deleteApp() throws(Problem) -> Response {
    var days: Int32?
    if let text = query["graceDays"] {
      // -1 is outside the permitted range, so text that is not a number is refused like a wrong number.
      days = Int32(text) ?? -1
    }
    return .json(
      .ok,
      try Administration.deleteApp(
        parameters["appId"], confirmation: try required("confirm"), graceDays: days, by: caller, on: connection))
  }

  fileprivate func restoreApp() throws(Problem) -> Response {
    .json(.ok, try Administration.restoreApp(parameters["appId"], by: caller, on: connection))
  }
}
