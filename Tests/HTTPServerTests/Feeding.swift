import Reactor
import Testing

@testable import HTTPServer

/// The ways in which the same bytes can arrive.
enum Feeding: CaseIterable, CustomTestStringConvertible {
  case atOnce, inTwo, byteByByte

  var testDescription: String { "\(self)" }

  /// Where the bytes are cut, one list for each run.
  func cuts(_ count: Int) -> [[Int]] {
    switch self {
    case .atOnce: [[count]]
    case .inTwo: (0...count).map { [$0, count] }
    case .byteByByte: [Array(1...max(1, count))]
    }
  }
}

/// What came of one request, as text: so that every way of feeding can be compared with one expectation.
struct Reading: Equatable, CustomStringConvertible {
  var description: String

  /// Feeds `bytes` as cut; says what the request is, or why it is not.
  static func of(_ bytes: [UInt8], cuts: [Int], bodyLimit: Int = 1 << 20) -> Reading {
    let request = Request(limits: HeadLimits())
    var fed = 0
    var hasHead = false
    for cut in cuts where cut >= fed {
      request.store.input.append(Array(bytes[fed..<min(cut, bytes.count)]))
      fed = cut
      if !hasHead {
        switch request.store.advance(unaskedBytes: bodyLimit) {
        case .needMore: continue
        case .malformed(let malformed): return Reading(description: "\(malformed.status.code) \(malformed.reason)")
        case .head: hasHead = true
        case .complete: return Reading(description: summary(request, more: bytes.count - fed))
        }
      }
      switch request.store.receiveBody(limit: bodyLimit) {
      case .needMore: continue
      case .unstorable: return Reading(description: "unstorable")
      case .malformed(let malformed): return Reading(description: "\(malformed.status.code) \(malformed.reason)")
      case .complete: return Reading(description: summary(request, more: bytes.count - fed))
      }
    }
    return Reading(description: "incomplete")
  }

  private static func summary(_ request: Request, more: Int) -> String {
    let body = request.withBody { String(copying: $0) }
    let query = request.query.isEmpty ? "" : "?" + request.query
    let fields = request.headers.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
    let keeps = request.store.head.keepsAlive ? "keep" : "close"
    let text = "\(request.methodName) \(request.path)\(query) 1.\(request.minorVersion) \(keeps) [\(fields)] \(body)"
    let hasMore = request.store.finish()
    return text + (!hasMore && more == 0 ? "" : " +more")
  }
}
