internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Apps.
extension AdminCall {
  /// `POST /v1/admin/apps/{appId}/resume`: lets the messages of a paused app go on.
  func resumeApp() throws(Problem) -> Response {
    let entry = try Administration.resumeApp(parameters["appId"], by: caller, on: connection)
    resources.messageCommitted()
    return .json(.ok, entry)
  }

  /// `PATCH /v1/admin/apps/{appId}`: changes settings, answers the app.
  func changeApp() throws(Problem) -> Response {
    let settings = try Administration.AppSettings(json: try jsonBody())
    return .json(.ok, try Administration.change(settings, of: parameters["appId"], by: caller, on: connection))
  }
}
