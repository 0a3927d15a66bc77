internal import Domain
internal import HTTPServer
internal import Operations
internal import Postgres
internal import Reactor

/// Calls that send a message: to people, to groups, to the users of a file, and from a device.
extension LegacyHandler {
  /// Sends a message from a server, or from a device if SENDERCODE is one of `DeviceSend.senders`.
  func sendMessage(_ call: LegacyCall) throws(LegacyRefusal) {
    if let sender = call.form["SENDERCODE"], DeviceSend.senders.contains(sender) {
      return try sendFromDevice(call, sender)
    }
    let server = try server(call)
    try send(try SendForm(call.form, audience: try SendAudience(message: call.form)), call, server)
  }

  func sendGroupMessage(_ call: LegacyCall) throws(LegacyRefusal) {
    let server = try server(call)
    try send(try SendForm(call.form, audience: try SendAudience(groupMessage: call.form)), call, server)
  }

  func sendCSVMessage(_ call: LegacyCall) throws(LegacyRefusal) {
    let server = try server(call)
    let office = sendOffice
    try store(call, server) { form, caller, connection throws(LegacyRefusal) in
      try office.csvSend(form, caller, connection)
    }
  }

  /// Stores a send, and answers the call. A send goes through the loop's committer if it is one to named people that
  /// `DirectSend.init` accepts, it is not reserved, the catalog knows the server, and the committer accepts it; any
  /// other is stored on an admin thread. The answer is the same.
  private func send(_ send: SendForm, _ call: LegacyCall, _ server: Server) throws(LegacyRefusal) {
    if case .known(let caller) = server, send.reservedFor == nil,
      let named = DirectSend(
        body: send.json(), idempotencyKey: call.idempotencyKey, caller: caller, catalog: catalog,
        interface: .sdk, trace: call.trace),
      committer.takesSends(named.lane)
    {
      return perform(.send(named), call) { answer in
        guard case .sent(let accepted, _) = answer else { return }
        self.sends.accepted(accepted.seqno, requestID: call.requestID, isSingle: true)
        call.answer(SendReceipt(accepted, send).answer)
      }
    }
    try store(call, server) { _, _, _ in send }
  }

  /// A function that returns the send of a form. It is called on an admin thread.
  private typealias FormReader = @Sendable (Form, Caller, Connection) throws(LegacyRefusal) -> SendForm

  /// Queues a call for an admin thread, which reads the send from the form, stores it, and answers the call.
  /// - Throws: a refusal with HTTP 503 if the queue does not accept the call.
  private func store(
    _ call: LegacyCall, _ server: Server, _ read: @escaping FormReader
  ) throws(LegacyRefusal) {
    let (form, key, office) = (call.form, call.idempotencyKey, sendOffice)
    let cause = LegacySendService.Cause(requestID: call.requestID, trace: call.trace)
    try onThread(call, server) { caller, connection throws(LegacyRefusal) in
      try office.store(try read(form, caller, connection), key, caller, connection, cause)
    }
  }

  /// Stores messages on an admin thread.
  var sendOffice: LegacySendService {
    LegacySendService(
      catalog: catalog, clock: loop.clock, hosting: hosting, messageCommitted: messageCommitted, sends: sends)
  }

  // MARK: Large forms

  /// Queues a request whose form is too large for the loop. An admin thread parses the form, authenticates the server,
  /// stores the send, and answers. It refuses sends from devices, and servers without a key or trusted address.
  /// - Throws: if the controller is not a send, or if the queue does not accept the request.
  func sendLarge(
    _ controller: Controller, _ request: Request, _ responder: Responder, isTrusted: Bool
  ) throws(LegacyRefusal) {
    let service = "\(controller.name).ctl"
    let (owned, catalog, office) = (request.owned(), catalog, sendOffice)
    let read: FormReader
    switch service {
    case "rcv_register_message.ctl":
      read = { form, _, _ throws(LegacyRefusal) in try SendForm(form, audience: try SendAudience(message: form)) }
    case "rcv_register_groupmessage.ctl":
      read = { form, _, _ throws(LegacyRefusal) in try SendForm(form, audience: try SendAudience(groupMessage: form)) }
    case "rcv_register_csvmessage.ctl":
      read = { form, caller, connection throws(LegacyRefusal) in try office.csvSend(form, caller, connection) }
    default: throw LegacyRefusal(.serverError, "The form is too large.")
    }
    let bearer = Self.bearer(request)
    // A key inside the form is not known before the form is read; until then, the request counts as one without a
    // credential.
    let caller = bearer == nil && !isTrusted ? nil : try Self.server(bearer, isTrusted: isTrusted, catalog).knownCaller
    let problem = threads.perform(
      for: caller, at: request.clientAddress, bytes: owned.body.count, responder.ticket
    ) { attempt in
      do throws(LegacyRefusal) {
        // A request that is refused is not parsed.
        if case .failure(let problem) = attempt { throw LegacyRefusal(problem) }
        let form = try Form(owned.body, contentType: owned.header("content-type"))
        guard !DeviceSend.senders.contains(form["SENDERCODE"] ?? "") else {
          throw LegacyRefusal(.serverError, "The form is too large for a device's message.")
        }
        let server = try Self.server(bearer ?? form["APIKEY"], isTrusted: isTrusted, catalog)
        let source = Source(
          origin: owned.clientAddress?.description ?? owned.remoteAddress.host, requestID: owned.id)
        let answer = try Self.run(attempt, server, from: source) { caller, connection throws(LegacyRefusal) in
          try office.store(
            try read(form, caller, connection), owned.header("idempotency-key"), caller, connection,
            LegacySendService.Cause(requestID: owned.id, trace: owned.trace))
        }
        return Envelope.response(answer, service: service)
      } catch {
        return Envelope.refusal(error, service: service, isSend: true)
      }
    }
    // A used-up quota is reported like a full queue, as 503, which clients of this protocol retry.
    if let problem { throw LegacyRefusal(Problem(.busy, problem.sentence)) }
  }

  // MARK: Devices

  /// Sends a message from a device to one user, and answers the call. Refuses it if the app does not permit its devices
  /// to send, or if the form has a TYPE other than `E` or a RESERVEDATE; with HTTP 503 if the committer does not accept
  /// sends at the moment.
  private func sendFromDevice(_ call: LegacyCall, _ sender: String) throws(LegacyRefusal) {
    guard call.form["RESERVEDATE"] == nil, ["E", nil].contains(call.form["TYPE"]?.uppercased()) else {
      throw LegacyRefusal(field: "TYPE", "must be E, without RESERVEDATE, when a device sends")
    }
    // CUID names the recipient here, not the user of the calling device.
    try withClaim(call, isAboutUser: false) { [self] identity, claim throws(LegacyRefusal) in
      try Self.refusing { () throws(Problem) in try DeviceSend.demandPermission(of: identity.app) }
      let send = try SendForm(call.form, audience: try SendAudience(message: call.form))
      let sending = try Self.refusing { () throws(Problem) in
        try DeviceSend(
          body: send.deviceJSON, app: identity.app, sender: sender, idempotencyKey: call.idempotencyKey,
          interface: .sdk)
      }
      guard committer.takesSends(sending.lane) else {
        throw LegacyRefusal(Problem(.busy, "Messages cannot be sent now. Try again in a moment."))
      }
      perform(sending.admission(claim), call) { answer in
        guard case .admitted(let device) = answer else { return }
        do throws(Problem) {
          self.perform(try sending.send(from: device, catalog: self.catalog, trace: call.trace), call) { answer in
            guard case .sent(let accepted, _) = answer else { return }
            self.sends.accepted(accepted.seqno, requestID: call.requestID, isSingle: true)
            call.answer(SendReceipt(accepted, send).answer)
          }
        } catch {
          call.refuse(LegacyRefusal(error))
        }
      }
    }
  }
}
