internal import HTTPClient
internal import Postgres
internal import Reactor
internal import Server
internal import TLS
internal import Time

/// The checks of `upmc doctor` for listeners: certificate, public address, trusted proxies, console files and uploads.
struct ListenerChecks {
  private let configuration: Configuration
  private let clock: any Clock

  init(_ configuration: Configuration, clock: any Clock) {
    self.configuration = configuration
    self.clock = clock
  }

  func findings() -> [Finding] {
    [certificate, publicAddress, proxies, console, uploads].compactMap { $0 }
  }

  // MARK: The certificate

  private var certificate: Finding? {
    do throws(ServerError) {
      guard let read = try ListenerCertificate.read(configuration.listening) else { return nil }
      return finding(read.identity, configuration.listening.certificateFile ?? "")
    } catch {
      return .failure(
        "listener certificate", "UPMC_TLS_CERTIFICATE", "\(error)", remedy: "Give PEM files that belong together.")
    }
  }

  private func finding(_ identity: TLSIdentity, _ file: String) -> Finding {
    let subject = "listener certificate"
    let now = clock.wallTime
    if identity.certificate.notBefore > now.seconds {
      return .failure(
        subject, file, "not valid before \(MachineChecks.days(identity.certificate.notBefore - now.seconds)) from now",
        remedy: "Wait, or use one that is valid; should it be valid by now, set this machine's clock.")
    }
    let expiry = MachineChecks.expiry(
      Timestamp(seconds: identity.certificate.notAfter), subject, file, now: now,
      remedy: "Renew it and tell the server by SIGHUP.")
    if expiry.severity == .failure { return expiry }
    if let host = publicHost?.host, !identity.isGood(forHost: host) {
      return .warning(
        subject, file, "it is not for \(host), where devices look for this server",
        remedy:
          "Use a certificate for that host, or correct UPMC_PUBLIC_URL; a proxy that has its own may stand before it.")
    }
    return expiry
  }

  // MARK: The public address and proxies

  private var publicHost: HTTPURL? { configuration.publicURL.flatMap { HTTPURL($0) } }

  private var publicAddress: Finding? {
    let subject = "public address"
    guard let url = configuration.publicURL else {
      return .warning(
        subject, "UPMC_PUBLIC_URL", "not set: sends with media or pages are refused",
        remedy: "Set it to the https address at which devices reach this server.")
    }
    guard let host = publicHost else { return nil }
    do {
      let status = try ask(host)
      guard status == 200 else {
        return .warning(
          subject, url, "what answers there says \(status) to /health: it is not this server, or it does not serve",
          remedy: "Correct UPMC_PUBLIC_URL, or have the proxy hand requests on to this server.")
      }
      return .ok(subject, url, "answers")
    } catch {
      return .warning(
        subject, url, "there is no answer: \(error)",
        remedy: "Start the server, correct UPMC_PUBLIC_URL, or open the way; it may also be closed from here only.")
    }
  }

  private func ask(_ host: HTTPURL) throws -> Int {
    var options = HTTPClient.Configuration()
    options.timeout = .seconds(Maintenance.Limits.publicSeconds)
    if host.isSecure {
      let files = configuration.caFile.map { [$0] } ?? []
      options.security = HTTPClientSecurity(
        context: try TLSContext.client(trust: TLSContext.Trust(files: files), protocols: ["http/1.1"]),
        serverName: host.host)
    }
    options.tunnel = configuration.proxy?.tunnel(to: host.host, port: host.port)
    if options.tunnel != nil { options.timeout = .seconds(ProxyTunnel.Limits.seconds) }
    let origin = try HTTPOrigin(host: host.host, port: host.port, through: options.tunnel)
    let client = try HTTPClient.Blocking(origin, configuration: options)
    let path = host.target.hasSuffix("/") ? host.target + "health" : host.target + "/health"
    return try client.send(HTTPRequest("GET", path)).status
  }

  private var proxies: Finding? {
    let blocks = configuration.listening.trustedProxies
    // A block with such a short prefix covers a large part of the internet and cannot consist of proxies.
    guard let all = blocks.first(where: { $0.bits <= ($0.base.isV4 ? 96 : 0) + Maintenance.Limits.proxyBits }) else {
      return nil
    }
    return .warning(
      "trusted proxies", "UPMC_TRUSTED_PROXIES",
      "\(all): every client is believed about its address, without limits",
      remedy: "Name the proxies' own addresses, no more.")
  }

  // MARK: Files

  private var console: Finding? {
    do throws(Configuration.Mistake) {
      guard let place = try ConsoleDirectory.locate(configured: configuration.publicDirectory) else {
        return .warning(
          "console", "UPMC_PUBLIC_DIR", ConsoleDirectory.absence, remedy: "Set UPMC_PUBLIC_DIR to where they are.")
      }
      return .ok("console", place, "its files are there")
    } catch {
      return .failure(
        "console", "UPMC_PUBLIC_DIR", "\(error)", remedy: "Correct UPMC_PUBLIC_DIR: the server does not start.")
    }
  }

  /// Checks the directory of uploads. Skipped with a private database, which is in the same directory and checked
  /// separately.
  private var uploads: Finding? {
    guard configuration.databaseURL != nil else { return nil }
    let (directory, place) = (configuration.dataDirectory, configuration.spoolDirectory)
    guard DirectoryRights.mayMakeFiles(in: place) else {
      return .failure(
        "uploads", place, "it cannot be written: pages, media and lists cannot be taken in",
        remedy: "Give this user the right to write there, or set UPMC_DATA_DIR to a directory of its own.")
    }
    guard FileStatus(directory)?.isDirectory == true else {
      return .warning(
        "uploads", directory, "it is not there: uploads wait in \(place) until they are stored, 2 GiB at most",
        remedy: "Make the directory, or set UPMC_DATA_DIR to one with room.")
    }
    return .ok("uploads", place, "can be written")
  }
}
