/// How the provider of a connection authenticates: by certificate if it has presented one, otherwise by provider
/// tokens.
package struct ProviderIdentity: Sendable {
  package var certificate: ClientCertificate?
  package var binding = ProviderBinding()

  package init(certificate: ClientCertificate? = nil) {
    self.certificate = certificate
  }
}
