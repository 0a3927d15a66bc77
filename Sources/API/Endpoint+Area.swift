/// The sections of the API description that list endpoints, in the description's order. `WebhookSection` follows them.
extension Endpoint {
  enum Area: String, CaseIterable, Sendable {
    case devices = "Devices"
    case confirmations = "Receipts and reads"
    case messages = "Messages"
    case control = "Control"
    case audiences = "Audiences"
    case people = "People and groups"
    case administration = "Administration"
    case sdk = "Apps built with the existing SDK"
    case server = "Server"

    /// Name of the area's page in its path, without the suffix of the language.
    var slug: String { "\(self)" }

    var about: String {
      switch self {
      case .devices: "What a device says and asks about itself: registration, user, groups, badge."
      case .confirmations:
        "A device confirms messages. No credential is needed: the `pushkey` of each message proves it."
      case .messages: "A back-office system or operator sends, and sees what became of it."
      case .control: "A message on its way: pause, resume, cancel, pace, send again."
      case .audiences: "Tags, saved segments and files: whom a message is for."
      case .people: "Users, their devices and groups, as operators look at them."
      case .administration: "Apps, credentials, keys, accounts, webhooks and quarantined devices."
      case .sdk: Controller.about
      case .server: "Is it alive, is it ready, and what can it do?"
      }
    }
  }
}
