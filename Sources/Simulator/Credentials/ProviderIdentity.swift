/// How the connection proves who it is: by provider tokens, unless it has shown a certificate.
package struct ProviderIdentity: Sendable {
  package var certificate: ClientCertificate?
  package var binding = ProviderBinding()

  package init(certificate: ClientCertificate? = nil) {
    self.certificate = certificate
  }
}
