@testable import HTTPServer
import Reactor

/// Called by libFuzzer with each input. The first byte says how the rest is cut into pieces; what the rest means must
/// not depend on it. A difference, like every broken invariant, is a trap, which libFuzzer reports with the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRequests(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let data, count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data + 1, count: count - 1))
  let piece = data[0] == 0 ? 1 : Int(data[0])
  let whole = Conversation.read(bytes, piecesOf: bytes.count)
  let cut = Conversation.read(bytes, piecesOf: piece)
  precondition(whole == cut, "cut into pieces of \(piece) it means \(cut), whole it means \(whole)")
  HeaderOfProxy.read(bytes)
  _ = FormDecoding.pairs(in: bytes.span)
  return 0
}

/// Everything that one connection's bytes are understood to be.
enum Conversation {
  private static let bodyLimit = 65_536

  static func read(_ bytes: [UInt8], piecesOf piece: Int) -> [String] {
    let request = Request(limits: HeadLimits(), inputBytes: 256)
    var events: [String] = []
    var fed = 0
    var awaitsBody = false
    while true {
      let step = advance(request, &awaitsBody)
      switch step {
      case .needMore:
        guard fed < bytes.count else { return events + ["open"] }
        let end = min(bytes.count, fed + piece)
        request.store.input.append(Array(bytes[fed..<end]))
        fed = end
      case .refused(let why): return events + [why]
      case .complete:
        events.append(describe(request))
        awaitsBody = false
        precondition(request.bodyCount <= bodyLimit, "a body above its limit")
        _ = request.store.finish()
      }
    }
  }

  private enum Step {
    case needMore, complete
    case refused(String)
  }

  private static func advance(_ request: Request, _ awaitsBody: inout Bool) -> Step {
    if !awaitsBody {
      switch request.store.advance(unaskedBytes: bodyLimit) {
      case .needMore: return .needMore
      case .malformed(let malformed): return .refused("\(malformed.status.code)")
      case .complete: return .complete
      case .head: awaitsBody = true
      }
    }
    switch request.store.receiveBody(limit: bodyLimit) {
    case .needMore: return .needMore
    case .unstorable: return .refused("503")
    case .malformed(let malformed): return .refused("\(malformed.status.code)")
    case .complete: return .complete
    }
  }

  /// All that a handler could ask for.
  private static func describe(_ request: Request) -> String {
    let fields = request.headers.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
    let item = request.queryItem("a") ?? "-"
    let token = request.bearerToken ?? "-"
    return "\(request.methodName) \(request.path)?\(request.query) \(fields) \(item) \(token) \(request.bodyBytes)"
  }
}

/// The header of a proxy asks for its bytes itself: it must never take more, and must end.
enum HeaderOfProxy {
  static func read(_ bytes: [UInt8]) {
    var header = ProxyHeader()
    var index = 0
    while let awaited = header.awaitedBytes {
      precondition(awaited > 0)
      let end = min(bytes.count, index + awaited)
      guard end > index, header.take(Array(bytes[index..<end])) else { return }
      index = end
    }
  }
}
