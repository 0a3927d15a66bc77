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
  private let metrics: MetricsDoor
  private let hosted: HostedDoor
  private let document = DocumentDoor()
  private var files: StaticFiles?
  private var charts = ConsoleFiles.chartFiles()

  init(
    devices: DeviceDoor, sdk: ControllerDoor, admin: any RequestHandler, health: HealthDoor, metrics: MetricsDoor,
    hosted: HostedDoor, files: StaticFiles?
  ) {
    self.metrics = metrics
    self.hosted = hosted
    self.devices = devices
    self.sdk = sdk
    self.admin = admin
    self.health = health
    self.files = files
  }

  package func handle(_ request: Request, _ responder: Responder) {
    // The busiest paths first: nothing else is looked at for them.
    if request.pathEquals("/v1/receipts") { return pass(request, to: .receipts) { devices.handle(request, responder) } }
    if request.pathEquals("/v1/reads") { return pass(request, to: .reads) { devices.handle(request, responder) } }
    if HostedDoor.isAsked(request) { return pass(request, to: .pages) { hosted.handle(request, responder) } }
    if ControllerDoor.isForHere(request) { return pass(request, to: .sdk) { sdk.handle(request, responder) } }
    if HealthDoor.isAsked(request) { return pass(request, to: .server) { health.handle(request, responder) } }
    if MetricsDoor.isAsked(request) { return pass(request, to: .server) { metrics.handle(request, responder) } }
    if document.serves(request) { return pass(request, to: .server) { document.handle(request, responder) } }
    if Self.isForAdmin(request) { return pass(request, to: .admin) { admin.handle(request, responder) } }
    if request.path.hasPrefix("/v1/") || files == nil {
      return pass(request, to: .devices) { devices.handle(request, responder) }
    }
    request.kind = DoorKind.files.rawValue
    if request.path.hasPrefix(ConsoleFiles.chartPath + "/"),
      let response = charts?.response(for: request, strippingPrefix: ConsoleFiles.chartPath)
    {
      return responder.send(response)
    }
    if let response = files?.response(for: request) { responder.send(response) }
  }

  /// The request is counted under its door.
  private func pass(_ request: Request, to door: DoorKind, _ handle: () -> Void) {
    request.kind = door.rawValue
    handle()
  }

  /// Only senders may bring bodies above the standard: lists of recipients. What anybody may bring is small.
  package func bodyLimit(for request: Request, standard: Int) -> Int {
    if ControllerDoor.isForHere(request) { return sdk.bodyLimit(for: request, standard: standard) }
    if Self.isForAdmin(request) { return admin.bodyLimit(for: request, standard: standard) }
    return devices.bodyLimit(for: request, standard: standard)
  }

  package func holdsBody(of request: Request, _ ticket: ResponseTicket) -> Bool {
    guard Self.isForAdmin(request) else { return false }
    // Perhaps it is answered at once.
    request.kind = DoorKind.admin.rawValue
    return admin.holdsBody(of: request, ticket)
  }

  package func spoolsBody(of request: Request) -> Bool {
    Self.isForAdmin(request) && admin.spoolsBody(of: request)
  }

  private static func isForAdmin(_ request: Request) -> Bool {
    let path = request.path
    return path.hasPrefix("/v1/admin/") || path == "/v1/admin"
  }
}

/// Doors as metrics tell them apart.
enum DoorKind: UInt8, CaseIterable {
  /// Not even a request.
  case none, receipts, reads, devices, sdk, admin, pages, server, files

  static let names = allCases.map { "\($0)" }
}
