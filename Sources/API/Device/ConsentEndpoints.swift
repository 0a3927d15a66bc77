internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// `/v1/devices/{device}/consent` and `…/tokens/{kind}`: what the person at the device agrees to, and the device's tokens
/// beside the one for alerts.
extension DeviceDoor {
  func showConsents(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    perform(.find(try claim(request, parameters)), request, responder, Self.sendConsents)
  }

  /// Those that are not named stay as they are.
  func setConsents(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    var reader = try Self.reader(request)
    let change: Consents.Change
    do {
      change = try Consents.Change(&reader)
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    perform(.setConsents(claim, change), request, responder, Self.sendConsents)
  }

  private static func sendConsents(_ answer: OperationAnswer, _ responder: Responder) {
    guard case .found(let device, _, _) = answer else { return }
    responder.send { writer in write(device.consents, to: &writer) }
  }

  static func write(_ consents: Consents, to writer: inout JSONWriter) {
    for (name, answer) in [
      ("notification", consents.notification), ("ad", consents.ad), ("nightAd", consents.nightAd),
    ] {
      guard let answer else {
        writer.member(name, nil as String?)
        continue
      }
      writer.member(
        name,
        object: { writer in
          writer.member("given", answer.isGiven)
          writer.member("at", Timestamp.text(answer.at))
        })
    }
  }

  // MARK: Further tokens

  func setToken(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let kind = try Self.kind(parameters)
    var reader = try Self.reader(request)
    var psid: String?
    do {
      try reader.readObject { (reader, key) throws(JSONError) in
        guard key == "psid" else { throw .unknownField }
        psid = try reader.readText(upTo: Domain.Limits.psidBytes)
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    // All of these are Apple's: hex, in either case.
    guard let token = psid.flatMap(PushNetwork.apns.normalize) else {
      throw Problem(at: "/psid", "must be an APNs token in hex")
    }
    perform(.setToken(claim, kind, psid: token), request, responder) { _, responder in
      responder.send(status: .noContent)
    }
  }

  func endToken(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let operation = Operation.setToken(try claim(request, parameters), try Self.kind(parameters), psid: nil)
    perform(operation, request, responder) { _, responder in responder.send(status: .noContent) }
  }

  private static func kind(_ parameters: PathParameters) throws(Problem) -> TokenKind {
    guard let kind = TokenKind(further: parameters["kind"]) else {
      let names = TokenKind.further.map(\.name).joined(separator: ", ")
      throw Problem(.notFound, "There are these kinds of tokens: \(names).")
    }
    return kind
  }
}

extension Consents.Change {
  /// Reads `{"notification"?, "ad"?, "nightAd"?}`.
  init(_ reader: inout JSONReader) throws(JSONError) {
    var change = Consents.Change()
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "notification": change.notification = try reader.readBool()
      case "ad": change.ad = try reader.readBool()
      case "nightAd": change.nightAd = try reader.readBool()
      default: throw .unknownField
      }
    }
    self = change
  }
}
