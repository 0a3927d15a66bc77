internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store
internal import Tracing

/// Endpoint that sends a message from a device to another user.
extension Endpoint {
  static let deviceMessages: [Endpoint] = [
    Endpoint(
      .post, "/v1/devices/{device}/messages", id: "sendFromDevice", in: .devices, "Send a message to another user",
      """
      To one user of the same app, at once, if the app allows it (`deviceSends`): a limit per minute and device; a guest \
      may not. The body is that of a send without what a device may not decide. The message bears its sender: `from` in \
      its numbers, `sender` in the payload. While the app is paused it is refused as a conflict: a device does not wait.
      """, by: .authKey, parameters: [.idempotencyKey],
      body: Body(
        schema: deviceMessage.name,
        examples: [
          ("hello", #"{"audience":{"clientUids":["kim01"]},"alert":"Are you there?","badge":{"increment":1}}"#)
        ], bytes: Operations.Limits.deviceMessageBytes),
      answers: [
        Answer(
          202, "The message is stored and will be sent.", SendAnswer.Accepted.object,
          example: #"{"seqno":"106","state":"queued","targeted":1,"unknown":[]}"#)
      ], problems: [.unknownApp, .payloadTooLarge, .impossible, .conflict, .idempotencyConflict, .tooManyRequests],
      handler: .device(DeviceHandler.sendMessage))
  ]

  /// The named schemas that this endpoint adds to the OpenAPI document (`Schemas`), in the document's order: those of
  /// the request, and of the sender that is stored with a message.
  static let deviceMessageSchemas: [JSONTree.Member] = [
    deviceMessage, SenderReference.object.named, SenderDevice.named,
  ]

  /// Schema of the request body: the members of a send that `DeviceSend` lets a device set. Except `sender`, they are
  /// parsed as in any send.
  private static let deviceMessage: JSONTree.Member = (
    "DeviceMessage",
    JSONSchema.object(
      "As a send, to one user.", isClosed: true,
      [
        .required(
          "audience",
          JSONSchema.object(
            isClosed: true,
            [
              .required(
                "clientUids",
                JSONSchema.list(of: JSONForm<String>.clientUID.schema, 1...1),
                "The CUID of the receiver.")
            ])),
        .optional("alert", JSONSchema.reference("Alert")), .optional("badge", JSONSchema.reference("BadgeRequest")),
        .optional("sound", JSONSchema.optional(JSONSchema.text(upTo: 128))),
        .optional("category", JSONSchema.text(upTo: 128)),
        .optional("mutableContent", JSONSchema.flag), .optional("contentAvailable", JSONSchema.flag),
        .optional("ext", JSONSchema.givenText), .optional("data", MessageContent.customKeys.schema),
        .optional(
          "fillVariables", JSONSchema.flag, "False: `%CUID%` and its like are text as any other. True when absent."),
        .optional(
          "expiresIn", JSONSchema.duration(Domain.Limits.expirySeconds)), .optional("dbIn", JSONSchema.flag),
        .optional("reference", JSONSchema.reference("SenderReference")),
        .optional(
          "sender", JSONSchema.words(DeviceSend.senders.sorted()),
          "What kind of device; known by itself when absent."),
      ])
  )
}

/// `POST /v1/devices/{device}/messages`: sends a message from a device to one user of its app, if the app allows it.
/// The body is a send without the members that a device may not set; the answer is that of a send.
///
/// Every installation of an app can make this call, although most apps do not allow it, so the body is parsed only
/// after device and app have been checked.
extension DeviceHandler {
  func sendMessage(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let body = try Self.jsonBody(request)
    let (requestID, language) = (request.id, request.language)
    let (key, trace) = (request.header("idempotency-key"), request.trace)
    // The device's key does not contain its app, so read the device's row.
    perform(.find(claim), requestID, language, responder) { [self] answer, responder in
      guard case .found(let device, _, _) = answer else { return }
      do throws(Problem) {
        guard let app = catalog.app(number: device.app) else {
          throw Problem(.unknownApp, "The app was deleted meanwhile.")
        }
        try DeviceSend.demandPermission(of: app)
        let wish = try DeviceMessage(body)
        let sender =
          wish.sender ?? (device.attributes.platform.lowercased() == "android" ? "device-android" : "device-ios")
        let sending = try DeviceSend(body: wish.fields, app: app, sender: sender, idempotencyKey: key)
        guard committer.takesSends(sending.lane) else {
          throw Problem(.busy, "Messages cannot be sent now. Try again in a moment.")
        }
        send(sending, claim, requestID, language, trace, responder)
      } catch {
        responder.send(error, requestID: requestID, in: language)
      }
    }
  }

  private func send(
    _ sending: DeviceSend, _ claim: AuthKeyring.Claim, _ requestID: String, _ language: SpokenLanguage,
    _ trace: TraceContext?, _ responder: Responder
  ) {
    perform(sending.admission(claim), requestID, language, responder) { [self] answer, responder in
      guard case .admitted(let device) = answer else { return }
      do throws(Problem) {
        perform(try sending.send(from: device, catalog: catalog, trace: trace), requestID, language, responder) {
          answer, responder in
          guard case .sent(let accepted, _) = answer else { return }
          self.sends.accepted(accepted.seqno, requestID: requestID, isSingle: true)
          responder.send(status: .accepted) { writer in SendAnswer.accepted(accepted).write(to: &writer) }
        }
      } catch {
        responder.send(error, requestID: requestID, in: language)
      }
    }
  }
}

/// The request body: the kind of device that sends (`sender`; nil if absent), and all other members as JSON, whose
/// values are not checked yet.
private struct DeviceMessage {
  var sender: String?
  var fields: [UInt8] = []

  init(_ body: [UInt8]) throws(Problem) {
    var reader = JSONReader(body)
    var sender: String?
    var members: [(name: String, json: [UInt8])] = []
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        if key == "sender" {
          sender = try reader.readText(upTo: 64)
        } else {
          members.append((key, try reader.readRaw()))
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    self.sender = sender
    var writer = JSONWriter()
    writer.object { writer in for member in members { writer.member(member.name, raw: member.json) } }
    fields = writer.bytes
  }
}
