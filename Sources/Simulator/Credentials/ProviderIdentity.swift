/// The credentials of a connection's provider: its certificate if it has presented one, otherwise provider
/// tokens.
package struct ProviderIdentity: Sendable {
  package var certificate: ClientCertificate?
  package var binding = ProviderBinding()

  package init(certificate: ClientCertificate? = nil) {
    self.certificate = certificate
  }
}
