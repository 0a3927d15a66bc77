import Reactor
import Testing

@testable import HTTPServer

@Suite struct ResponseTicketTests {
  static let get = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test func `another thread answers`() throws {
    var threads: [ResponseTicket] = []
    let server = try TestServer { _, responder in threads.append(responder.ticket) }
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    let ticket = threads[0]
    let thread = try Thread(name: "answers") {
      ticket.send(Response(status: .accepted, contentType: "text/plain", body: "from afar"))
    }
    thread.join()
    let answer = try peer.takeAnswer()
    #expect(answer.status == 202)
    #expect(answer.body == "from afar")
  }

  @Test func `a batch of answers wakes the server once and reaches everyone`() throws {
    var tickets: [ResponseTicket] = []
    let server = try TestServer { _, responder in tickets.append(responder.ticket) }
    let peers = try (0..<20).map { _ in try server.connect() }
    for peer in peers { peer.send(Self.get) }
    server.turn()
    let replies = tickets.enumerated().map { index, ticket in
      Reply(ticket: ticket, response: Response(status: .ok, contentType: "text/plain", body: "\(index)"))
    }
    #expect(server.server.replies.offer(contentsOf: replies))
    for (index, peer) in peers.enumerated() { #expect(try peer.takeAnswer().body == "\(index)") }
  }

  @Test func `a ticket of a client that has gone answers nobody else`() throws {
    var tickets: [ResponseTicket] = []
    let server = try TestServer { request, responder in
      if request.pathEquals("/x") { tickets.append(responder.ticket) } else { TestServer.echo(request, responder) }
    }
    let gone = try server.connect()
    gone.send(Self.get)
    server.turn()
    gone.reset()
    server.turn()
    // The next connection takes the same slot.
    let next = try server.connect()
    next.send(Self.get)
    server.turn()
    tickets[0].send(Response(status: .ok, contentType: "text/plain", body: "for someone else"))
    server.turn()
    next.receive()
    #expect(next.received.isEmpty)
    tickets[1].send(Response(status: .ok, contentType: "text/plain", body: "for me"))
    #expect(try next.takeAnswer().body == "for me")
  }

  @Test func `a ticket answers once`() throws {
    var ticket: ResponseTicket?
    let server = try TestServer { request, responder in
      if ticket == nil { ticket = responder.ticket } else { TestServer.echo(request, responder) }
    }
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    for _ in 0..<2 { ticket?.send(Response(status: .ok, contentType: "text/plain", body: "once")) }
    #expect(try peer.takeAnswer().body == "once")
    #expect(try peer.exchange(Self.get).body == "GET /x ")
  }

  @Test func `pieces that fill the inbox keep out neither answers nor the ends of streams`() throws {
    var tickets: [ResponseTicket] = []
    var configuration = HTTPServer.Configuration()
    configuration.connections = 3
    let server = try TestServer(configuration: configuration) { _, responder in tickets.append(responder.ticket) }
    let peers = try (0..<3).map { _ in try server.connect() }
    for peer in peers {
      peer.send(Self.get)
      server.turn()
    }
    let finished = try #require(tickets[0].stream(status: .ok, headers: []))
    let abandoned = try #require(tickets[1].stream(status: .ok, headers: []))
    var pieces = 0
    while finished.write("x") { pieces += 1 }
    #expect(pieces > 0 && !abandoned.write("x"))
    finished.finish()
    abandoned.abandon()
    #expect(tickets[2].send(Response(status: .ok, contentType: "text/plain", body: "whole")))
    #expect(try peers[0].takeAnswer().body == String(repeating: "x", count: pieces))
    #expect(peers[1].waitForClose() && peers[1].wasReset)
    #expect(try peers[2].takeAnswer().body == "whole")
  }

  @Test func `after the server has stopped a ticket says so`() throws {
    var ticket: ResponseTicket?
    let server = try TestServer { _, responder in ticket = responder.ticket }
    let peer = try server.connect()
    peer.send(Self.get)
    server.turn()
    server.server.close()
    #expect(ticket?.send(Response(status: .ok)) == false)
  }
}
