internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// Templates, drafts and senders: one shape, three names.
extension AdminCall {
  /// `GET /v1/admin/templates|drafts|senders?appId=&limit=&cursor=`.
  func saved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    .json(.ok, try SavedMessageService.list(kind, of: try required("appId"), try page(), by: caller, on: connection))
  }

  /// `GET /v1/admin/templates/{templateId}` and so on.
  func showSaved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    .json(.ok, try SavedMessageService.show(try savedNumber(kind), kind, by: caller, on: connection))
  }

  /// `POST`: `{"appId","name","sender"?,"message":{…}}`.
  func createSaved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    let (appID, new) = try readSaved(takesApp: true)
    return .json(
      .created,
      try SavedMessageService.create(new, kind, of: try Problem.need(appID, "appId"), by: caller, on: connection))
  }

  /// `PUT`: `{"name","sender"?,"message":{…}}`.
  func replaceSaved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    let new = try readSaved(takesApp: false).new
    return .json(
      .ok, try SavedMessageService.replace(try savedNumber(kind), kind, with: new, by: caller, on: connection))
  }

  func deleteSaved(_ kind: SavedMessages.Kind) throws(Problem) -> Response {
    try SavedMessageService.delete(try savedNumber(kind), kind, by: caller, on: connection)
    return .done
  }

  private func savedNumber(_ kind: SavedMessages.Kind) throws(Problem) -> SavedMessages.Number {
    guard let number = Int64(parameters[kind.idName]) else {
      throw Problem(.notFound, "A \(kind.word)'s id is a whole number, as lists show it.")
    }
    return number
  }

  private func readSaved(takesApp: Bool) throws(Problem) -> (appID: String?, new: SavedMessageService.New) {
    var (appID, name, sender): (String?, String?, String?)
    var message: [UInt8]?
    try readObject { (reader, key) throws(JSONError) in
      switch key {
      case "appId" where takesApp: appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
      case "name": name = try reader.readString()
      case "sender": sender = try reader.readString()
      case "message":
        guard try reader.peek() == .object else { throw JSONError("must be an object: a message") }
        message = try reader.readRaw()
      default: throw .unknownField
      }
    }
    return (
      appID,
      SavedMessageService.New(
        name: try Problem.need(name, "name"), sender: sender, message: try Problem.need(message, "message"))
    )
  }
}
