internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Reactor

/// Sends that wait for a second person.
extension AdminCall {
  /// `GET /v1/admin/approvals?appId=&state=&limit=&cursor=`: newest first.
  func approvals() throws(Problem) -> Response {
    .json(
      .ok,
      try ApprovalService.list(
        of: query["appId"], state: query["state"], try page(), by: caller, on: connection,
        now: resources.clock.wallMicroseconds))
  }

  /// `GET /v1/admin/approvals/{approvalId}`.
  func approval() throws(Problem) -> Response {
    .json(
      .ok,
      try ApprovalService.show(
        try approvalNumber(), seal: resources.catalog.seal, by: caller, on: connection,
        now: resources.clock.wallMicroseconds))
  }

  /// `POST /v1/admin/approvals/{approvalId}/approve`: answers as the send would have.
  func approve() throws(Problem) -> Response {
    let answer = try ApprovalService.approve(
      try approvalNumber(), hosting: resources.hosting, seal: resources.catalog.seal, by: caller, on: connection,
      now: resources.clock.wallMicroseconds)
    resources.messageCommitted()
    return .json(.accepted, answer)
  }

  /// `POST /v1/admin/approvals/{approvalId}/reject`: `{"reason"?}`, or nothing.
  func reject() throws(Problem) -> Response {
    var reason: String?
    if !request.body.isEmpty {
      try readObject { (reader, key) throws(JSONError) in
        guard key == "reason" else { throw .unknownField }
        reason = try reader.readNull() ? nil : try reader.readString()
      }
    }
    return .json(
      .ok,
      try ApprovalService.reject(
        try approvalNumber(), reason: reason, by: caller, on: connection, now: resources.clock.wallMicroseconds))
  }

  private func approvalNumber() throws(Problem) -> Int64 {
    guard let number = Int64(parameters["approvalId"]) else {
      throw Problem(.notFound, "An approval's id is a whole number, as lists show it.")
    }
    return number
  }
}
