/// Variables that have our prefix but are not ours.
extension Configuration {
  /// Excludes variables without `UPMC_`, and those by which Kubernetes announces Services to pods.
  package static func isOurs(_ name: String, _ value: String) -> Bool {
    name.hasPrefix("UPMC_") && !isServiceLink(name, value)
  }

  /// Kubernetes announces a Service named `upmc`, or `upmc-…`, to every pod that starts beside it (kubernetes.io,
  /// "Discovering services"): `UPMC_SERVICE_HOST`, `UPMC_SERVICE_PORT_HTTP`, `UPMC_PORT=tcp://10.0.0.1:80`,
  /// `UPMC_PORT_80_TCP_ADDR`.
  private static func isServiceLink(_ name: String, _ value: String) -> Bool {
    let words = name.split(separator: "_")
    for (index, word) in words.enumerated().dropFirst() {
      let rest = words.dropFirst(index + 1)
      switch (word, rest.first) {
      case ("SERVICE", "HOST"?): if rest.count == 1 { return true }
      case ("SERVICE", "PORT"?): return true
      // A bare number is not such a variable: someone takes it for a setting of ours.
      case ("PORT", nil): return value.contains("://")
      case ("PORT", let number?):
        if Int(number) != nil, ["TCP", "UDP", "SCTP"].contains(rest.dropFirst().first) { return true }
      default: break
      }
    }
    return false
  }
}
