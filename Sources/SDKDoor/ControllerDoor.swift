internal import Domain
package import HTTPServer
package import Operations
package import Reactor

/// `*.ctl` on an HTTP loop: reads the form, finds the controller, hands it over. One per loop.
package final class ControllerDoor: RequestHandler {
  let hands: Hands
  let catalog: Catalog
  let keys: SigningKeys
  let configuration: SDKDoor.Configuration
  let loop: EventLoop
  private let patience: CatalogPatience

  package init(
    hands: Hands, catalog: Catalog, keys: SigningKeys, configuration: SDKDoor.Configuration, loop: EventLoop
  ) {
    self.hands = hands
    self.catalog = catalog
    self.keys = keys
    self.configuration = configuration
    self.loop = loop
    patience = CatalogPatience(catalog: catalog, loop: loop)
  }

  /// True for paths that end like a controller's and are not the other doors'.
  package static func isForHere(_ request: Request) -> Bool {
    request.withPath { path in
      let count = path.count
      return count > 5 && path[count - 4] == UInt8(ascii: ".") && path[count - 3] == UInt8(ascii: "c")
        && path[count - 2] == UInt8(ascii: "t") && path[count - 1] == UInt8(ascii: "l")
        && !(path[1] == UInt8(ascii: "v") && path[2] == UInt8(ascii: "1") && path[3] == UInt8(ascii: "/"))
    }
  }

  package func handle(_ request: Request, _ responder: Responder) {
    let (context, service) = Self.split(request.path)
    guard let controller = controller(context, service) else {
      let text = "There is no controller here of this name, or it stands behind another path."
      return responder.send(
        Envelope.refusal(Refusal(.serverError, text, status: 404), service: "", isSend: false))
    }
    guard request.method == .post else {
      var response = Envelope.refusal(
        Refusal(.serverError, "Post the parameters as a form.", status: 405), service: service, isSend: false)
      response.headers.append(("Allow", "POST"))
      return responder.send(response)
    }
    let isTrusted = controller.isForServers && configuration.trustedSenders.includes(request.clientAddress)
    do throws(Refusal) {
      if controller.isForServers, request.bodyCount > SDKDoor.Limits.loopFormBytes {
        return try sendLarge(controller, request, responder, isTrusted: isTrusted)
      }
      // Logs of clients are not kept, so they are not read.
      let form =
        service == "putAppLog.ctl"
        ? Form() : try Form(request.bodyBytes, contentType: request.header("content-type"))
      let call = Call(
        service: service, form: form,
        responder: responder, isSend: controller.isForServers, bearer: Self.bearer(request),
        idempotencyKey: request.header("idempotency-key"), isTrustedAddress: isTrusted,
        origin: request.countedAddress, address: request.clientAddress)
      run(controller, call)
    } catch {
      responder.send(Envelope.refusal(error, service: service, isSend: controller.isForServers))
    }
  }

  private func run(_ controller: Controller, _ call: Call) {
    do throws(Refusal) {
      try controller.endpoint(self)(call)
    } catch {
      call.refuse(error)
    }
  }

  /// Whoever may send may send much. A server whose key is a field of its form, too late to be known here, may bring the
  /// standard to what is read on a thread; and so may logs, of which nothing is read. Everything else is small.
  package func bodyLimit(for request: Request, standard: Int) -> Int {
    let (context, service) = Self.split(request.path)
    guard let controller = controller(context, service), controller.takesLongForms else {
      return service == "putAppLog.ctl" ? standard : min(standard, SDKDoor.Limits.loopFormBytes)
    }
    guard mayBeServer(request) else { return standard }
    return service == "rcv_register_csvmessage.ctl" ? SDKDoor.Limits.uploadBytes : SDKDoor.Limits.sendBytes
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
  func withApp(_ call: Call, _ body: @escaping (App) throws(Refusal) -> Void) throws(Refusal) {
    let appID = try call.form.needed("APP_ID", upTo: Domain.Limits.appIDBytes)
    if let app = catalog.app(id: appID) { return try body(app) }
    let door = self
    let goOn = {
      do throws(Refusal) {
        guard let app = door.catalog.app(id: appID) else {
          throw Refusal(.appDeleted, "There is no app \(appID). Make it with `upmc app create`, or mend APP_ID.")
        }
        try body(app)
      } catch {
        call.refuse(error)
      }
    }
    guard patience.wait(goOn) else {
      throw Refusal(Problem(.busy, "Too many requests name apps that are not known. Try again in a moment."))
    }
  }

  /// Has an operation carried out; its problem is answered, its answer handed on.
  func perform(_ operation: Operation, _ call: Call, _ answer: @escaping (OperationAnswer) -> Void) {
    hands.submit(operation) { outcome in
      switch outcome {
      case .success(let value): answer(value)
      case .failure(let problem): call.refuse(Refusal(problem))
      }
    }
  }
}
