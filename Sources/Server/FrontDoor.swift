package import HTTPServer
internal import OpenAPI
internal import Receiver
internal import SDKDoor

/// The first look at each request: which part of the server answers it. One per HTTP loop.
package final class FrontDoor: RequestHandler {
  private let devices: DeviceDoor
  private let sdk: ControllerDoor
  private let admin: any RequestHandler
  private let health: HealthDoor
  private let hosted: HostedDoor
  private let document = DocumentDoor()
  private var files: StaticFiles?
  private var vendor = ConsoleFiles.vendorFiles()

  init(
    devices: DeviceDoor, sdk: ControllerDoor, admin: any RequestHandler, health: HealthDoor, hosted: HostedDoor,
    files: StaticFiles?
  ) {
    self.hosted = hosted
    self.devices = devices
    self.sdk = sdk
    self.admin = admin
    self.health = health
    self.files = files
  }

  package func handle(_ request: Request, _ responder: Responder) {
    // The busiest paths first: nothing else is looked at for them.
    if request.pathEquals("/v1/receipts") || request.pathEquals("/v1/reads") {
      return devices.handle(request, responder)
    }
    if HostedDoor.isAsked(request) { return hosted.handle(request, responder) }
    if ControllerDoor.isForHere(request) { return sdk.handle(request, responder) }
    if request.pathEquals("/health") || request.pathEquals("/ready") { return health.handle(request, responder) }
    if document.serves(request) { return document.handle(request, responder) }
    if Self.isForAdmin(request) { return admin.handle(request, responder) }
    if request.path.hasPrefix("/v1/") || files == nil { return devices.handle(request, responder) }
    if request.path.hasPrefix(ConsoleFiles.vendorPath + "/"),
      let response = vendor?.response(for: request, strippingPrefix: ConsoleFiles.vendorPath)
    {
      return responder.send(response)
    }
    if let response = files?.response(for: request) { responder.send(response) }
  }

  /// Only senders may bring bodies above the standard: lists of recipients.
  package func bodyLimit(for request: Request, standard: Int) -> Int {
    if ControllerDoor.isForHere(request) { return sdk.bodyLimit(for: request, standard: standard) }
    return Self.isForAdmin(request) ? admin.bodyLimit(for: request, standard: standard) : standard
  }

  private static func isForAdmin(_ request: Request) -> Bool {
    let path = request.path
    return path.hasPrefix("/v1/admin/") || path == "/v1/admin"
  }
}
