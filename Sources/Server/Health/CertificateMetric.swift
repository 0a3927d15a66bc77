internal import Metrics
internal import Synchronization
internal import TLS

/// The metric with the expiration time of the listeners' certificate. Updated when the certificate is reloaded
/// (SIGHUP).
final class CertificateMetric: Sendable {
  /// The expiration time in seconds since 1970; 0 for plain HTTP.
  private let expiry = Atomic<Int64>(0)

  /// Registers the metric. It has no sample while the listeners speak plain HTTP.
  init(_ metrics: Metrics, _ identity: TLSIdentity?) {
    if let identity { show(identity) }
    metrics.read(
      "upmc_certificate_expiry_timestamp_seconds", .gauge,
      "When the certificate of this server's own listeners expires, in seconds since 1970."
    ) { [self] in
      let seconds = expiry.load(ordering: .relaxed)
      return seconds == 0 ? [] : [(Labels(), Double(seconds))]
    }
  }

  /// Sets the metric to the certificate's expiration time. Callable from any thread.
  func show(_ identity: TLSIdentity) {
    expiry.store(identity.certificate.notAfter, ordering: .relaxed)
  }
}
