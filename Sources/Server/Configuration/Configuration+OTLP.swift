package import HTTPClient

/// The variables of the export of spans and metrics to an OpenTelemetry collector.
extension Configuration {
  static let exportVariables = [
    Variable(
      name: "UPMC_OTLP_URL", standard: "",
      meaning:
        "collector of OpenTelemetry that gets spans and metrics by OTLP/HTTP in JSON: http://host:4318 or https://host; "
        + "/v1/traces and /v1/metrics are appended. Absent: nothing is exported",
      korean: "스팬과 메트릭을 OTLP/HTTP(JSON)로 받을 OpenTelemetry 수집기: `http://host:4318` 또는 `https://host`. "
        + "`/v1/traces`와 `/v1/metrics`가 뒤에 붙습니다. 없으면 내보내지 않습니다"),
    Variable(
      name: "UPMC_OTLP_HEADERS", standard: "",
      meaning: "headers for the collector, name=value with commas, values percent-encoded",
      korean: "수집기에 보낼 헤더: `이름=값`, 쉼표로 구분, 값은 퍼센트 인코딩"),
    Variable(
      name: "UPMC_OTLP_HEADERS_FILE", standard: "",
      meaning: "file that holds UPMC_OTLP_HEADERS, where they are a credential",
      korean: "헤더가 인증 정보일 때 `UPMC_OTLP_HEADERS` 값을 담은 파일"),
    Variable(
      name: "UPMC_OTLP_TIMEOUT", standard: "10", meaning: "seconds for one request to the collector, 1 to 60",
      korean: "수집기 요청 하나의 제한 시간(초), 1–60"),
    Variable(
      name: "UPMC_OTLP_METRICS_INTERVAL", standard: "60",
      meaning: "seconds between two exports of the metrics, 1 to 3600; 0: none, spans only",
      korean: "메트릭을 내보내는 간격(초), 1–3600. `0`이면 스팬만 내보냅니다"),
    Variable(
      name: "UPMC_OTLP_TRACE_RATIO", standard: "0",
      meaning:
        "share of the requests without a traceparent that begin a trace of their own, 0 to 1. Where there is one, the "
        + "caller's sampled flag decides",
      korean: "`traceparent`가 없는 요청 가운데 새 추적을 시작할 비율, 0–1. 있으면 호출자의 sampled 플래그를 따릅니다"),
  ]

  /// The settings of the export to a collector.
  package struct Export: Sendable {
    package let url: HTTPURL
    package var headers: [(name: String, value: String)] = []
    package var timeout = Duration.seconds(10)
    /// The interval at which metrics are exported; nil to export none.
    package var metricsInterval: Duration? = .seconds(60)
    /// Time allowed for the final export of a stopping server; nil for the exporter's own limit. A test may have more.
    package var drain: Duration?
    /// The share, 0…1, of requests without a caller's trace context that are recorded.
    package var traceRatio = 0.0

    package init(url: HTTPURL) {
      self.url = url
    }
  }

  /// The values of the export variables: the headers' file as given, the others parsed. `readExport` makes one export
  /// of them.
  struct ExportWords: Sendable {
    var url: HTTPURL?
    var headers: [(name: String, value: String)] = []
    var headersFile: String?
    var timeout = 10
    var metricsInterval = 60
    var traceRatio = 0.0
  }

  /// Stores the value of an export variable. Returns false if the variable is not one of these.
  /// - Throws: `Mistake` if the value is invalid.
  mutating func setExport(_ name: String, _ value: String) throws(Mistake) -> Bool {
    let given = value.isEmpty ? nil : value
    switch name {
    case "UPMC_OTLP_URL": exportWords.url = try given.map { given throws(Mistake) in try Self.collector(name, given) }
    case "UPMC_OTLP_HEADERS": exportWords.headers = try Self.headers(value, called: name)
    case "UPMC_OTLP_HEADERS_FILE": exportWords.headersFile = given
    case "UPMC_OTLP_TIMEOUT": exportWords.timeout = try Self.seconds(name, value, 1...60)
    case "UPMC_OTLP_METRICS_INTERVAL": exportWords.metricsInterval = try Self.seconds(name, value, 0...3_600)
    case "UPMC_OTLP_TRACE_RATIO":
      guard let ratio = Double(value), (0...1).contains(ratio) else {
        throw Mistake(description: "\(name)=\(value) is no share. Write a number from 0 to 1, such as 0.01.")
      }
      exportWords.traceRatio = ratio
    default: return false
    }
    return true
  }

  /// Returns the export that these variables describe; nil when no collector is named. Error messages never contain a
  /// header's value, which may be a credential.
  func readExport() throws(Mistake) -> Export? {
    guard let url = exportWords.url else { return nil }
    var export = Export(url: url)
    export.headers = exportWords.headers
    if let file = exportWords.headersFile {
      guard export.headers.isEmpty else {
        throw Mistake(description: "UPMC_OTLP_HEADERS and UPMC_OTLP_HEADERS_FILE are both set. Keep one.")
      }
      var text = try SecretFile.read(file, name: "UPMC_OTLP_HEADERS_FILE", holding: "the collector's headers")
      while text.last?.isWhitespace == true { text.removeLast() }
      export.headers = try Self.headers(text, called: "What UPMC_OTLP_HEADERS_FILE names, \(file),")
    }
    export.timeout = .seconds(exportWords.timeout)
    export.metricsInterval = exportWords.metricsInterval == 0 ? nil : .seconds(exportWords.metricsInterval)
    export.traceRatio = exportWords.traceRatio
    return export
  }

  private static func collector(_ name: String, _ value: String) throws(Mistake) -> HTTPURL {
    guard let url = HTTPURL(value), !url.target.contains("?") else {
      // The value may hold a password.
      throw Mistake(
        description:
          "\(name) is no address of a collector. Write http://host:4318 or https://host, with a path if needed; "
          + "credentials belong into UPMC_OTLP_HEADERS.")
    }
    return url
  }

  private static func seconds(
    _ name: String, _ value: String, _ range: ClosedRange<Int>
  ) throws(Mistake) -> Int {
    guard let seconds = Int(value), range.contains(seconds) else {
      throw Mistake(
        description: "\(name)=\(value) is no time. Write seconds, from \(range.lowerBound) to \(range.upperBound).")
    }
    return seconds
  }

  /// Parses `name=value,name=value`, the format of OpenTelemetry's own variable `OTEL_EXPORTER_OTLP_HEADERS`.
  private static func headers(
    _ text: String, called name: String
  ) throws(Mistake) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    for part in text.split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let header = pair[0].filter { $0 != " " }
      guard pair.count == 2, let value = PercentText.decode(pair[1]), isHeader(header, value) else {
        throw Mistake(
          description:
            "\(name) is no list of headers. Write name=value,name=value, with % in a value as %25 and , as %2C.")
      }
      headers.append((header, value))
    }
    return headers
  }

  private static func isHeader(_ name: String, _ value: String) -> Bool {
    let request = HTTPRequest("POST", "/", headers: [(name, value)])
    return request.isWellFormed && !["content-type", "user-agent"].contains(name.lowercased())
  }
}
