internal import HTTPClient
internal import JSON

/// The action that the exporter must take after a collector's response (OTLP specification, "OTLP/HTTP Response"). No
/// I/O.
enum CollectorAnswer: Equatable {
  /// The collector accepted everything except `rejected` spans or data points, which must not be resent.
  case taken(rejected: Int, why: String)
  /// Retry after this many seconds; nil to use the exporter's own back-off.
  case again(after: Int?, why: String)
  /// Permanent failure: do not retry.
  case refused(why: String)

  static func of(_ outcome: Result<HTTPResponse, HTTPClientError>) -> CollectorAnswer {
    switch outcome {
    case .failure(.refused(let reason)): .refused(why: reason)
    case .failure(let error): .again(after: nil, why: error.description)
    case .success(let response):
      switch response.status {
      case 200..<300: taken(response.body)
      case 429, 502, 503, 504:
        .again(
          after: response.header("retry-after").flatMap { Int($0) }.map { max(0, $0) },
          why: "it answered \(response.status)"
        )
      default: .refused(why: "it answered \(response.status)")
      }
    }
  }

  /// Returns the result of a success status. A body that is not JSON, or has no partial success, counts as full
  /// success.
  private static func taken(_ body: [UInt8]) -> CollectorAnswer {
    var (rejected, why) = (0, "")
    var reader = JSONReader(body)
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        guard key == "partialSuccess" else {
          _ = try reader.readRaw()
          return
        }
        try reader.readObject { (reader, key) throws(JSONError) in
          let value = try reader.readRaw()
          switch key {
          // A 64-bit number is a string, but a number is accepted as well.
          case "rejectedSpans", "rejectedDataPoints":
            rejected = Int(String(decoding: value, as: UTF8.self).filter { $0 != "\"" }) ?? 0
          case "errorMessage": why = text(value)
          default: break
          }
        }
      }
    } catch {
      return .taken(rejected: 0, why: "")
    }
    return .taken(rejected: max(0, rejected), why: why)
  }

  private static func text(_ json: [UInt8]) -> String {
    var reader = JSONReader(json)
    return (try? reader.readString()) ?? ""
  }
}
