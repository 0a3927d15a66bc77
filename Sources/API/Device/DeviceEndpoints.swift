internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// `/v1/devices/{device}…`: what a device asks about itself, with its authKey.
extension DeviceDoor {
  // MARK: The device and its user

  func show(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.find(try claim(request, parameters)), request, responder) { answer, responder in
      guard case .found(let device, let badge, let userName) = answer else { return }
      responder.send { writer in
        writer.member("device", device.device.description)
        writer.member("pnsId", device.network.pnsID)
        writer.member("environment", device.environment.name)
        // Never the whole token: who sees this answer might not be the device.
        writer.member("psid", String(device.psid.prefix(Operations.Limits.shownTokenBytes)))
        writer.member("badge", badge)
        writer.member("consent", object: { Self.write(device.consents, to: &$0) })
        Self.write(standingOf: device, name: userName, to: &writer)
      }
    }
  }

  func unregister(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.unregister(try claim(request, parameters)), request, responder) { _, responder in
      responder.send(status: .noContent)
    }
  }

  func setUser(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    var reader = try Self.reader(request)
    let user: NamedUser
    do {
      user = try Self.readUser(&reader)
    } catch {
      throw Problem(error)
    }
    perform(.setUser(claim, user), request, responder) { answer, responder in
      guard case .found(let device, _, let userName) = answer else { return }
      self.sendStanding(device, userName, claim, responder)
    }
  }

  /// `POST /v1/devices/{device}/possession`: `{"seqno","psid","pushkey"}` of a push that came.
  func bringBack(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    var reader = try Self.reader(request)
    var (seqno, psid, pushkey): (Int64?, String?, String?)
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "seqno": seqno = try reader.readSeqno()
        case "psid": psid = try reader.readText(upTo: Domain.Limits.psidBytes)
        case "pushkey": pushkey = try reader.readString()
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    guard let number = seqno else { throw Problem(at: "/seqno", "is needed") }
    guard let psid else { throw Problem(at: "/psid", "is needed") }
    guard let pushkey else { throw Problem(at: "/pushkey", "is needed") }
    let token = PushNetwork.apns.normalize(psid: psid) ?? psid
    guard keys.pushkeys.isValid(pushkey, seqno: String(number), psid: token) else {
      throw Problem(.forbidden, "This pushkey is not that of the message \(number) for this token.")
    }
    perform(.possess(claim, seqno: number, psid: token), request, responder) { answer, responder in
      guard case .found(let device, _, let userName) = answer else { return }
      self.sendStanding(device, userName, claim, responder)
    }
  }

  /// The device as it stands, with a key: those before may have ended.
  private func sendStanding(
    _ device: Devices.Record, _ userName: String, _ claim: AuthKeyring.Claim, _ responder: Responder
  ) {
    let renewed = claim.renewed(for: device)
    responder.send { writer in
      writer.member(
        "authKey", keys.authKeys.make(device: renewed.device, epoch: renewed.epoch, isAsked: renewed.isAsked))
      Self.write(standingOf: device, name: userName, to: &writer)
    }
  }

  func clearUser(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.clearUser(try claim(request, parameters)), request, responder) { _, responder in
      responder.send(status: .noContent)
    }
  }

  private static func readUser(_ reader: inout JSONReader) throws(JSONError) -> NamedUser {
    var clientUID: String?
    var name = ""
    var proof: String?
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "clientUid": clientUID = try reader.readText(upTo: Domain.Limits.clientUIDBytes)
      case "clientName": name = try reader.readName()
      case "userProof": proof = try reader.readText(upTo: Domain.Limits.userProofBytes)
      default: throw .unknownField
      }
    }
    try reader.finish()
    guard let clientUID else { throw JSONError("is needed").inside("clientUid") }
    return NamedUser(clientUID: clientUID, name: name, proof: proof)
  }

  // MARK: Groups

  func listGroups(
    _ request: Request, _ parameters: PathParameters, _ query: QueryParameters, _ responder: Responder
  ) throws(Problem) {
    let claim = try claim(request, parameters)
    let page = try GroupPage(limit: query["limit"], cursor: query["cursor"])
    perform(.listGroups(claim), request, responder) { answer, responder in
      guard case .groups(let groups) = answer else { return }
      responder.send { writer in page.write(groups, to: &writer) }
    }
  }

  func join(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let operation = Operation.join(try claim(request, parameters), group: try Self.group(parameters))
    perform(operation, request, responder) { _, responder in responder.send(status: .noContent) }
  }

  func leave(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let operation = Operation.leave(try claim(request, parameters), group: try Self.group(parameters))
    perform(operation, request, responder) { _, responder in responder.send(status: .noContent) }
  }

  private static func group(_ parameters: PathParameters) throws(Problem) -> Int64 {
    guard let group = SequenceNumber.parse(parameters["groupSeq"]) else {
      throw Problem(.unknownGroup, "A GROUPSEQ is a whole number.")
    }
    return group
  }

  // MARK: Badge

  func showBadge(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.badge(try claim(request, parameters)), request, responder, Self.sendBadge)
  }

  func setBadge(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    var reader = try Self.reader(request)
    var badge: Int16?
    do {
      try reader.readObject { (reader, key) throws(JSONError) in
        guard key == "badge" else { throw .unknownField }
        badge = try reader.readBadge()
      }
      try reader.finish()
    } catch {
      throw Problem(confirming: error)
    }
    guard let badge else { throw Problem(.badgeOutOfRange, at: "/badge", Problem.badgeRange) }
    perform(.setBadge(claim, badge), request, responder, Self.sendBadge)
  }

  private static func sendBadge(_ answer: OperationAnswer, _ responder: Responder) {
    guard case .badge(let badge) = answer else { return }
    responder.send { writer in writer.member("badge", badge) }
  }
}
