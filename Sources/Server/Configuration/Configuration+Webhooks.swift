internal import PlainText
internal import HTTPClient
package import Operations

/// The addresses that webhooks may have in this configuration.
extension Configuration {
  package var webhookAddresses: WebhookAddresses {
    let rule = AddressRule(allowing: webhookNetworks)
    return WebhookAddresses { url in
      guard let place = HTTPURL(url) else { return "is no address of a server: look at its host and its port" }
      return rule.objection(to: place)
    }
  }
}
