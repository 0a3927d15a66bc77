/// The topics and environments that Apple's extensions in a provider's client certificate allow.
package struct ClientCertificate: Equatable, Sendable {
  /// All topics that the certificate may push to, with suffixes.
  package let topics: Set<String>
  package let environments: Set<Environment>

  package init(topics: Set<String>, environments: Set<Environment>) {
    self.topics = topics
    self.environments = environments
  }
}
