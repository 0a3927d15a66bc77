import Hummingbird
import Logging

/// `HummingbirdPeer PORT [DATABASE_URL]`: what an ordinary user of Hummingbird writes. With a database it serves
/// `/v1/receipts` too, and stores each receipt with a statement of its own over a pool of 16 connections.
let arguments = CommandLine.arguments
guard arguments.count == 2 || arguments.count == 3, let port = arguments.dropFirst().first.flatMap({ Int($0) }) else {
  fatalError("usage: HummingbirdPeer PORT [DATABASE_URL]")
}

let router = Router()
let json: HTTPFields = [.contentType: "application/json"]

router.get("/health") { _, _ in
  Response(status: .ok, headers: json, body: .init(byteBuffer: ByteBuffer(string: #"{"status":"ok"}"#)))
}

/// Reads the body and answers a constant, as our own does.
router.post("/echo") { request, _ in
  let body = try await request.body.collect(upTo: 1_048_576)
  precondition(body.readableBytes > 0)
  return Response(status: .ok, headers: json, body: .init(byteBuffer: ByteBuffer(string: #"{"ok":true}"#)))
}

if arguments.count == 3 {
  let pool = ReceiptPool(url: arguments[2], connections: 16)
  let check = PushKeyCheck()
  router.post("/v1/receipts") { request, context -> ReceiptAnswer in
    let body = try await request.decode(as: ReceiptBody.self, context: context)
    var results: [ReceiptAnswer.Result] = []
    for receipt in body.receipts {
      guard let seqno = Int64(receipt.seqno), !check.wasForged(receipt) else {
        results.append(.init(seqno: receipt.seqno, status: "invalid-pushkey"))
        continue
      }
      let status = await pool.store(seqno: seqno, psid: receipt.psid)
      results.append(.init(seqno: receipt.seqno, status: status))
    }
    return ReceiptAnswer(results: results)
  }
}

var logger = Logger(label: "peer")
logger.logLevel = .error
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)), logger: logger)
try await application.runService()
