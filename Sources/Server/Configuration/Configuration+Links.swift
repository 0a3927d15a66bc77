/// Distinguishes our environment variables from others that begin with `UPMC_`.
extension Configuration {
  /// Returns false for variables without the prefix `UPMC_`, and for those that Kubernetes sets for Services.
  package static func isOurs(_ name: String, _ value: String) -> Bool {
    name.hasPrefix("UPMC_") && !isServiceLink(name, value)
  }

  /// Kubernetes sets variables for each Service in every pod that starts later (kubernetes.io, "Discovering services").
  /// For a Service named `upmc` or `upmc-…` these are `UPMC_SERVICE_HOST`, `UPMC_SERVICE_PORT_HTTP`,
  /// `UPMC_PORT=tcp://10.0.0.1:80`, `UPMC_PORT_80_TCP_ADDR` and the like.
  private static func isServiceLink(_ name: String, _ value: String) -> Bool {
    let words = name.split(separator: "_")
    for (index, word) in words.enumerated().dropFirst() {
      let rest = words.dropFirst(index + 1)
      switch (word, rest.first) {
      case ("SERVICE", "HOST"?): if rest.count == 1 { return true }
      case ("SERVICE", "PORT"?): return true
      // With just a number, UPMC_PORT was set by an operator who takes it for one of our settings.
      case ("PORT", nil): return value.contains("://")
      case ("PORT", let number?):
        if Int(number) != nil, ["TCP", "UDP", "SCTP"].contains(rest.dropFirst().first) { return true }
      default: break
      }
    }
    return false
  }
}
