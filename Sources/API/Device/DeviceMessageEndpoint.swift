internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Store

/// `POST /v1/devices/{device}/messages`: a device sends to one user of its app, if the app allows it. The body is that of a
/// send without what a device may not decide; the answer is a send's.
///
/// Most apps do not allow it, and every installation could ask: so the body is not looked at before device and app are
/// known.
extension DeviceDoor {
  func sendMessage(_ request: Request, _ parameters: PathParameters, _ responder: Responder) throws(Problem) {
    let claim = try claim(request, parameters)
    let body = try Self.jsonBody(request)
    let (requestID, key) = (request.id, request.header("idempotency-key"))
    // The key of the device says nothing of its app; its row does.
    perform(.find(claim), requestID, responder) { [self] answer, responder in
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
        send(sending, claim, requestID, responder)
      } catch {
        responder.send(error, requestID: requestID)
      }
    }
  }

  private func send(
    _ sending: DeviceSend, _ claim: AuthKeyring.Claim, _ requestID: String, _ responder: Responder
  ) {
    perform(sending.admission(claim), requestID, responder) { [self] answer, responder in
      guard case .admitted(let device) = answer else { return }
      do throws(Problem) {
        perform(try sending.send(from: device, catalog: catalog), requestID, responder) { answer, responder in
          guard case .sent(let accepted, _) = answer else { return }
          responder.send(status: .accepted) { writer in SendAnswer.accepted(accepted).write(to: &writer) }
        }
      } catch {
        responder.send(error, requestID: requestID)
      }
    }
  }
}

/// The body: the sender's kind taken out, the rest as it came.
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
