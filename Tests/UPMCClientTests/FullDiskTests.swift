import Foundation
import Reactor
import Server
import TestSupport
import TestTier
import Testing
import UPMCClient

/// Client processes whose outbox is on a disk that is really full: what cannot be stored is sent all the same.
@Suite(.slow, .serialized) struct FullDiskTests {
  @Test func `a receipt and a read that no disk takes are sent, and each counts once`() async throws {
    let stage = try ClientStage()
    let phone = Phone(stage, "phone", ClientStage.token("a1"))
    try await phone.register("kim")
    let seqnos = [try await stage.send(), try await stage.send()]
    let received = try await phone.liveOnFullDisk("receive", seqnos)
    #expect(received.ending == .exited(0), "\(received.text)")
    #expect(received.text.split(separator: "\n") == seqnos.map { "\($0) recorded(badge: nil)" }, "\(received.text)")
    let read = try await phone.liveOnFullDisk("read", [seqnos[1]], ["update", "5"])
    #expect(read.ending == .exited(0) && read.text.contains("recorded(badge: Optional(5))"), "\(read.text)")
    for seqno in seqnos { #expect(try await stage.received(seqno) == 1) }
    #expect(try await stage.read(seqnos[0]) == 0)
    #expect(try await stage.read(seqnos[1]) == 1)
    #expect(try await stage.client().badge() == 5)
  }

  @Test func `what came to the token before is confirmed too`() async throws {
    let stage = try ClientStage()
    let phone = Phone(stage, "phone", ClientStage.token("a1"))
    try await phone.register("kim")
    let seqno = try await stage.send()
    // The system hands out another token before the push is confirmed.
    try await Phone(stage, "phone", ClientStage.token("b2")).register("kim")
    let received = try await phone.liveOnFullDisk("receive", [seqno])
    #expect(received.text.contains("\(seqno) recorded"), "\(received.text)")
    #expect(try await stage.received(seqno) == 1)
  }

  @Test func `without a disk and without an answer it is said to be lost`() async throws {
    let stage = try ClientStage()
    let phone = Phone(stage, "phone", ClientStage.token("a1"))
    try await phone.register("kim")
    let seqno = try await stage.send()
    let payloads = try phone.file(of: [seqno])
    stage.server.stop()
    let received = try await phone.liveOnFullDisk("receive", payloads: payloads)
    #expect(received.text.hasPrefix("\(seqno) lost("), "\(received.text)")
    #expect(received.text.contains("could not be stored: write: No space left on device"), "\(received.text)")
  }
}
