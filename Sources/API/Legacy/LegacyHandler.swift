internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor

/// The door for apps built with the existing SDK, and for servers that speak its protocol: forms posted to
/// `/<context>/<controller>.ctl`. Such an app works here when its host name is changed.
///
/// ```
///   bytes ──► Form (urlencoded or multipart) ──► Controller, by name ──► who asks?
///                                                                         │ a device: AUTHKEY, or the pushkey of a message
///                                                                         │ a server: its address, or an API key
///                                                                         ▼
///   {"HEADER":{RESULT_CODE…},"BODY":…} ◄── answer ◄── Operation through the loop's committer (device calls, sends to
///                                                     named users) or on an admin thread (everything else)
/// ```
///
/// **No rules of its own.** Each controller turns a form into an operation that `/v1` and `/v1/admin` carry out too, and
/// its answer or problem into the envelope; what may be done, and what it does, is decided in `Operations`.
///
/// **Keys.** `asking_authorization` gives a key for (app, PSID) and, once registered, the device; every later call
/// brings it. 40100: there is none, it is older than half an hour, not ours, or another device's: on that code, and on no
/// other, the client asks again and repeats its call once. 40300: the call is about a user that the device does not belong
/// to. All of it can be switched off, as in the original.
///
/// **Answers** have HTTP 200, also when the result code is an error, because that is what the SDK reads; only what is no
/// call at all (404, 405) and what should be tried again elsewhere (503) says so in the status too.
///
/// **Failure.** Input that cannot be read is refused before anything is looked at, with the field's name and what is
/// wrong with it; nothing of it is carried out.
final class LegacyHandler: RequestHandler {
  let committer: Committer
  let threads: AdminThreads
  /// Where pages and media are reached.
  let hosting: ContentHosting
  /// Called, on any thread, when a message has been stored.
  let messageCommitted: @Sendable () -> Void
  let catalog: Catalog
  let keys: SigningKeys
  let configuration: LegacyConfiguration
  let loop: EventLoop
  private let timeout: UnknownKeyDelay

  init(
    committer: Committer, threads: AdminThreads, hosting: ContentHosting, catalog: Catalog, keys: SigningKeys,
    configuration: LegacyConfiguration, loop: EventLoop, messageCommitted: @escaping @Sendable () -> Void
  ) {
    self.committer = committer
    self.threads = threads
    self.hosting = hosting
    self.messageCommitted = messageCommitted
    self.catalog = catalog
    self.keys = keys
    self.configuration = configuration
    self.loop = loop
    timeout = UnknownKeyDelay(catalog: catalog, loop: loop)
  }

  /// True for paths that end like a controller's and are not the other doors'.
  static func isForHere(_ request: Request) -> Bool {
    request.withPath { path in
      let count = path.count
      return count > 5 && path[count - 4] == UInt8(ascii: ".") && path[count - 3] == UInt8(ascii: "c")
        && path[count - 2] == UInt8(ascii: "t") && path[count - 1] == UInt8(ascii: "l")
        && !(path[1] == UInt8(ascii: "v") && path[2] == UInt8(ascii: "1") && path[3] == UInt8(ascii: "/"))
    }
  }

  func handle(_ request: Request, _ responder: Responder) {
    let (context, service) = Self.split(request.path)
    guard let controller = controller(context, service) else {
      let text = "There is no controller here of this name, or it stands behind another path."
      return responder.send(
        Envelope.refusal(LegacyRefusal(.serverError, text, status: 404), service: "", isSend: false))
    }
    guard request.method == .post else {
      var response = Envelope.refusal(
        LegacyRefusal(.serverError, "Post the parameters as a form.", status: 405), service: service, isSend: false)
      response.headers.append(("Allow", "POST"))
      return responder.send(response)
    }
    let isTrusted = controller.isForServers && configuration.trustedSenders.includes(request.clientAddress)
    do throws(LegacyRefusal) {
      if controller.isForServers, request.bodyCount > LegacyLimits.loopFormBytes {
        return try sendLarge(controller, request, responder, isTrusted: isTrusted)
      }
      // Logs of clients are not kept, so they are not read.
      let form =
        service == "putAppLog.ctl"
        ? Form() : try Form(request.bodyBytes, contentType: request.header("content-type"))
      let call = LegacyCall(
        service: service, form: form,
        responder: responder, isSend: controller.isForServers, bearer: Self.bearer(request),
        idempotencyKey: request.header("idempotency-key"), isTrustedAddress: isTrusted,
        origin: request.countedAddress, address: request.clientAddress)
      run(controller, call)
    } catch {
      responder.send(Envelope.refusal(error, service: service, isSend: controller.isForServers))
    }
  }

  private func run(_ controller: Controller, _ call: LegacyCall) {
    do throws(LegacyRefusal) {
      try controller.handler(self)(call)
    } catch {
      call.refuse(error)
    }
  }

  /// Whoever may send may send much. A server whose key is a field of its form, too late to be known here, may bring the
  /// standard to what is read on a thread; and so may logs, of which nothing is read. Everything else is small.
  func bodyLimit(for request: Request, standard: Int) -> Int {
    let (context, service) = Self.split(request.path)
    guard let controller = controller(context, service), controller.takesLongForms else {
      return service == "putAppLog.ctl" ? standard : min(standard, LegacyLimits.loopFormBytes)
    }
    guard mayBeServer(request) else { return standard }
    return service == "rcv_register_csvmessage.ctl" ? LegacyLimits.uploadBytes : LegacyLimits.sendBytes
  }

  /// Asked before the form is there: a key within it comes too late to allow more.
  private func mayBeServer(_ request: Request) -> Bool {
    configuration.trustedSenders.includes(request.clientAddress)
      || Self.bearer(request).flatMap(catalog.caller(apiKey:)) != nil
  }

  // MARK: Paths

  /// `/upmc/rcv_get_service.ctl` → `/upmc`, `rcv_get_service.ctl`.
  private static func split(_ path: String) -> (context: String, service: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[..<slash]), String(path[path.index(after: slash)...]))
  }

  private func controller(_ context: String, _ service: String) -> Controller? {
    if let contexts = configuration.contexts, !contexts.contains(context) { return nil }
    return Controller.byName[String(service.dropLast(4))]
  }

  static func bearer(_ request: Request) -> String? {
    guard let header = request.header("authorization"), header.utf8.count > 7,
      header.prefix(7).lowercased() == "bearer "
    else { return nil }
    return String(header.dropFirst(7))
  }

  // MARK: What controllers share

  /// Seconds since 1970.
  var seconds: Int64 { loop.clock.wallMicroseconds / 1_000_000 }

  /// Finds the app that a call names, then goes on. One that was made a moment ago is waited for.
  func withApp(_ call: LegacyCall, _ body: @escaping (App) throws(LegacyRefusal) -> Void) throws(LegacyRefusal) {
    let appID = try call.form.required("APP_ID", upTo: Domain.Limits.appIDBytes)
    if let app = catalog.app(id: appID) { return try body(app) }
    let door = self
    let goOn = {
      do throws(LegacyRefusal) {
        guard let app = door.catalog.app(id: appID) else {
          throw LegacyRefusal(.appDeleted, "There is no app \(appID). Make it with `upmc app create`, or mend APP_ID.")
        }
        try body(app)
      } catch {
        call.refuse(error)
      }
    }
    guard timeout.wait(goOn) else {
      throw LegacyRefusal(Problem(.busy, "Too many requests name apps that are not known. Try again in a moment."))
    }
  }

  /// Has an operation carried out; its problem is answered, its answer handed on.
  func perform(_ operation: Operation, _ call: LegacyCall, _ answer: @escaping (OperationAnswer) -> Void) {
    committer.submit(operation) { outcome in
      switch outcome {
      case .success(let value): answer(value)
      case .failure(let problem): call.refuse(LegacyRefusal(problem))
      }
    }
  }
}
