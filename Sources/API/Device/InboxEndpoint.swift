internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// `GET /v1/devices/{device}/inbox?limit=&cursor=`: what was kept for the device's person, newest first.
extension DeviceDoor {
  func listInbox(
    _ request: Request, _ parameters: PathParameters, _ query: QueryParameters, _ responder: Responder
  ) throws(Problem) {
    let claim = try claim(request, parameters)
    let part = try InboxQuestion(limit: query["limit"], cursor: query["cursor"])
    perform(.inbox(claim, part), request, responder) { answer, responder in
      guard case .inbox(let page) = answer else { return }
      responder.send { writer in page.write(to: &writer, keys: self.keys.pushkeys) }
    }
  }
}
