import Foundation
import Reactor
import Synchronization
import TestSupport
import TestTier
import Testing
import UPMCClientURLSession

@testable import UPMCClient

/// What an extension does with a push, apart from what only the system can.
@Suite struct ExtensionWorkTests {
  private let directory = TemporaryDirectory.make(prefix: "upmc-extension.")
  private let keys = MemoryKeyStore()

  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 0]

  private func payload(_ more: String, ext: String = "") throws -> ReceivedPayload {
    let ext = ext.isEmpty ? "" : #","ext":"\#(ext)""#
    return try ReceivedPayload(
      json: Array(#"{"aps":{"alert":"x","mutable-content":1},"mps":{"seqno":"7","pushkey":"aa"\#(ext)}\#(more)}"#.utf8))
  }

  private func client(_ transport: FakeTransport, _ server: String = "https://push.example.com") throws -> PushClient {
    PushClient(
      ClientSettings(server: try ServerAddress(server), appID: "app", clientKey: "k", directory: directory),
      transport: transport, keys: keys)
  }

  @Test func `an extension finds what its app has left`() async throws {
    let transport = FakeTransport { ConfirmationTroubleTests.answer($0) }
    let app = try client(transport)
    #expect(SharedSettings(in: keys) == nil)
    try SharedSettings(await app.settings).store(in: keys)
    try await app.register(token: "abcd", user: ClientUser("kim"))
    let shared = try #require(SharedSettings(in: keys))
    let text = String(decoding: try #require(try keys.read("settings")), as: UTF8.self)
    #expect(!text.contains("clientKey"))
    let service = PushClient(shared.settings(directory: directory), transport: transport, keys: keys)
    let push = try payload("")
    #expect(await service.store(receiptOf: push))
    // Stored and not sent yet: the app's process sends it.
    #expect(await app.waitingConfirmations == 1)
    #expect(await app.flush().recorded == 1)
    #expect(FakeTransport.Entry.all(in: try #require(transport.requests.last)).map(\.psid) == ["abcd"])
  }

  @Test func `without an app's registration, and for a silent push, nothing is stored`() async throws {
    let transport = FakeTransport { ConfirmationTroubleTests.answer($0) }
    let client = try client(transport)
    #expect(await !client.store(receiptOf: try payload("")))
    try await client.register(token: "abcd")
    let silent = try ReceivedPayload(json: Array(#"{"aps":{},"mps":{"seqno":"7","pushkey":"aa"}}"#.utf8))
    #expect(await !client.store(receiptOf: silent))
    #expect(await client.waitingConfirmations == 0)
  }

  @Test func `the receipt leaves at once, and the notification never waits for its answer`() async throws {
    let (receipts, answers) = AsyncStream<Void>.makeStream()
    let (asked, hasAsked) = AsyncStream<String>.makeStream()
    let transport = FakeTransport { request in
      if request.path == "/v1/receipts" {
        hasAsked.yield("receipt")
        // The server is silent until the notification is shown.
        for await _ in receipts {}
        return FakeTransport.verdicts(request)
      }
      guard request.path == "/i.jpg" else { return ConfirmationTroubleTests.answer(request) }
      // The image comes only once the receipt is on its way.
      for await one in asked where one == "receipt" { break }
      return .success(WireAnswer(status: 200, body: Self.jpeg))
    }
    let client = try client(transport)
    try await client.register(token: "abcd")
    let push = try payload(#","mediaUrl":"https://cdn.example.com/i.jpg""#)
    let order = Mutex<[String]>([])
    await client.process(
      push, mediaInto: directory,
      stored: {
        order.withLock { $0.append(transport.requests.contains { $0.path == "/v1/receipts" } ? "late" : "stored") }
      },
      show: { fetched in
        order.withLock { $0.append(fetched.mediaFile == nil ? "without image" : "shown") }
        answers.finish()
      })
    #expect(order.withLock { $0 } == ["stored", "shown"])
    #expect(await client.waitingConfirmations == 0)
    #expect(transport.requests.count { $0.path == "/v1/receipts" } == 1)
  }

  @Test func `page and image are fetched together, and what fails is left out`() async throws {
    let transport = FakeTransport { request in
      switch request.path {
      case "/p/a_ext.html": FakeTransport.json(200, "3%7CT%7Chttps%3A%2F%2Fcdn.example.com%2Fi.jpg")
      case "/i.jpg": .success(WireAnswer(status: 200, body: Self.jpeg))
      default: .failure(NoAnswer("away"))
      }
    }
    let client = try client(transport)
    let fetched = await client.fetch(
      contentOf: try payload("", ext: "https://push.example.com/p/a_ext.html"), mediaInto: directory)
    #expect(fetched.ext == "3|T|https://cdn.example.com/i.jpg" && fetched.body == nil)
    let file = try #require(fetched.mediaFile)
    #expect(file.hasSuffix("/upmc-7.jpg"))
    #expect(try Data(contentsOf: URL(filePath: file)) == Data(Self.jpeg))
    // A large image takes a phone longer than a call may.
    let times = Dictionary(transport.requests.map { ($0.path, $0.seconds) }) { first, _ in first }
    #expect(times == ["/p/a_ext.html": ClientLimits.callSeconds, "/i.jpg": ClientLimits.mediaSeconds])
    let none = await client.fetch(
      contentOf: try payload(
        #","mediaUrl":"https://cdn.example.com/gone.png""#, ext: "https://a.example.com/b_ext.html"),
      mediaInto: directory)
    #expect(none == FetchedContent())
    let plain = await client.fetch(contentOf: try payload("", ext: "0|Hello"), mediaInto: directory)
    #expect(plain == FetchedContent())
  }

  @Test(
    arguments: [
      ([0xFF, 0xD8, 0xFF], "jpg"), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "png"),
      (Array("GIF89a".utf8), "gif"),
      (Array("....ftypisom".utf8), "mp4"), (Array("....ftypM4A ".utf8), "m4a"), (Array("RIFF....WAVE".utf8), "wav"),
      (Array("FORM....AIFF".utf8), "aiff"), (Array("ID3".utf8), "mp3"), (Array("<html>".utf8), nil), ([], nil),
      (Array("RIFF....WEBP".utf8), nil), (Array("....ftypheic".utf8), nil), (Array("....ftypavif".utf8), nil),
      (Array("....ftypqt  ".utf8), "mov"), (Array("RIFF....AVI ".utf8), "avi"), (Array("FORM....AIFC".utf8), "aiff"),
      ([0, 0, 1, 0xBA], "mpg"),
    ] as [([UInt8], String?)])
  func `what is attached is what the system knows, by its first bytes`(bytes: [UInt8], kind: String?) {
    #expect(MediumKind(bytes)?.rawValue == kind)
  }
}

/// The loader of URLs, against servers that mean no good.
@Suite(.slow) struct URLSessionTransportTests {
  @Test func `a page of the server is fetched and decoded, a large ext too`() async throws {
    let stage = try ClientStage()
    // The server's public name leads to this machine.
    let client = try stage.client(through: NamedTransport(stage.transport, "https://push.example.com", stage.address))
    let token = ClientStage.token("a1")
    try await client.register(token: token, user: ClientUser("kim"))
    let ext = "6|" + String(repeating: "가나다 % + ", count: 600) + "|https://www.example.com"
    let seqno = try await stage.send(#"{"clientUids":["kim"]}"#, #","ext":"\#(ext)""#)
    let push = try stage.payload(seqno, token)
    #expect(push.ext?.hasSuffix("_ext.html") == true, "\(push.ext ?? "none")")
    #expect(try await client.resolve(push.ext ?? "") == ext)
  }

  @Test func `an answer that is too long, a silent server and a closed port are failures`() async throws {
    let stage = try ClientStage()
    var request = WireRequest("GET", "/openapi.json", at: stage.address)
    request.seconds = ClientStage.patience
    request.mostBytes = 1_000
    let transport = stage.transport
    guard case .failure(let reason) = await transport.send(request) else { return #expect(Bool(false), "taken") }
    #expect(reason.description.contains("longer than 1000 bytes"))
    request.mostBytes = ClientLimits.answerBytes * 4
    guard case .success(let answer) = await transport.send(request) else { return #expect(Bool(false), "refused") }
    #expect(answer.status == 200 && answer.contentType?.hasPrefix("application/json") == true)
    // A port that listens and never answers.
    let deaf = try DeafServer()
    var unheard = WireRequest("GET", "/", at: "http://127.0.0.1:\(deaf.port)")
    unheard.seconds = 0.2
    guard case .failure = await transport.send(unheard) else { return #expect(Bool(false), "answered") }
    guard case .failure = await transport.send(WireRequest("GET", "/", at: "http://127.0.0.1:1")) else {
      return #expect(Bool(false), "answered")
    }
    guard case .failure = await transport.send(WireRequest("GET", "/", at: "nowhere at all")) else {
      return #expect(Bool(false), "answered")
    }
  }
}

/// A transport that its owner has ended, while a client still has it.
@Suite struct ClosedTransportTests {
  @Test func `a call through a closed transport fails, and the process lives on`() async {
    let transport = URLSessionTransport()
    transport.close()
    transport.close()
    let answer = await transport.send(WireRequest("GET", "/", at: "http://127.0.0.1:1"))
    #expect(answer == .failure(NoAnswer("the transport is closed")))
  }

  @Test func `a transport that nobody has any more keeps no connection`() async throws {
    let server = try FloodServer(opening: Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8), piece: [])
    #expect(await Self.status(at: "http://127.0.0.1:\(server.address.port)") == 200)
    // As the kernel writes it: "0: LOCAL:PORT REMOTE:PORT STATE …", where state 01 is an open connection.
    let digits = String(server.address.port, radix: 16, uppercase: true)
    let port = ":" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    try poll("the connection stays open") { () -> Void? in
      let table = try #require(TemporaryDirectory.read("/proc/net/tcp"))
      let isOpen = table.split(separator: "\n").map { $0.split(separator: " ") }
        .contains { $0.count > 3 && $0[2].hasSuffix(port) && $0[3] == "01" }
      return isOpen ? nil : ()
    }
    #expect(!server.isOver, "the server has closed it")
  }

  private static func status(at origin: String) async -> Int? {
    let transport = URLSessionTransport()
    defer { withExtendedLifetime(transport) {} }
    guard case .success(let answer) = await transport.send(WireRequest("GET", "/", at: origin)) else { return nil }
    return answer.status
  }
}

/// The real way, on which one name leads to another address.
private struct NamedTransport: Transport, Sendable {
  private let inner: any Transport & Sendable
  private let name: String
  private let address: String

  init(_ inner: any Transport & Sendable, _ name: String, _ address: String) {
    self.inner = inner
    self.name = name
    self.address = address
  }

  func send(_ request: WireRequest, _ completion: @escaping @Sendable (Result<WireAnswer, NoAnswer>) -> Void) {
    var request = request
    if request.origin == name { request.origin = address }
    inner.send(request, completion)
  }
}
