internal import Reactor

/// Writing answers into a connection's buffer: one for each request, in order.
extension Connection {
  func respond(_ serial: UInt64, _ response: Response) {
    guard isAwaiting(serial) else { return }
    settleKeepAlive()
    let hasBody = !exchange.isHead && !response.status.forbidsBody
    server.writer.writeHead(
      response.status, headers: response.headers, bodyCount: response.body.count, exchange, now: server.loop.now,
      to: &output)
    if hasBody, response.body.count >= HTTPServer.Limits.detachedBodyBytes {
      detached = response.body
      detachedSent = 0
    } else if hasBody {
      output.append(response.body)
    }
    answered()
  }

  func respond(_ serial: UInt64, _ status: Status, _ contentType: StaticString, _ body: Span<UInt8>) {
    guard isAwaiting(serial) else { return }
    writeHead(status, contentType, body.count)
    if !exchange.isHead, !status.forbidsBody { output.append(body) }
    answered()
  }

  func respond(_ serial: UInt64, _ status: Status, _ contentType: StaticString, _ body: StaticString) {
    guard isAwaiting(serial) else { return }
    writeHead(status, contentType, body.utf8CodeUnitCount)
    if !exchange.isHead, !status.forbidsBody { output.append(body) }
    answered()
  }

  func respond(
    _ serial: UInt64, _ status: Status, _ contentType: StaticString, _ write: (inout ByteBuffer) -> Void
  ) {
    guard isAwaiting(serial) else { return }
    server.scratch.removeAll()
    write(&server.scratch)
    writeHead(status, contentType, server.scratch.count)
    if !exchange.isHead, !status.forbidsBody { server.scratch.withReadable { output.append($0) } }
    answered()
  }

  private func writeHead(_ status: Status, _ contentType: StaticString, _ bodyCount: Int) {
    settleKeepAlive()
    server.writer.writeHead(
      status, contentType: contentType, bodyCount: bodyCount, exchange, now: server.loop.now, to: &output)
  }

  private func settleKeepAlive() {
    if server.isDraining { exchange.keepsAlive = false }
  }

  private func answered() {
    if exchange.keepsAlive {
      phase = .head
      headHasBegun = false
      deadline = server.idleDeadline
      // While the handler runs, `pump` itself goes on; a later answer must wake what was sent ahead.
      if !isPumping, inputEnded || !request.input.isEmpty { server.queueResume(self) }
    } else {
      phase = .closing
    }
    server.queueFlush(self)
  }
}
