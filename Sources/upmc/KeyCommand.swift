internal import ArgumentParser
internal import Domain
internal import JSON
internal import Operations

/// `upmc key`: manages API keys.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make API keys for back-office systems and operators, list and revoke them.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an API key, and print it this once.",
      discussion: """
        Only a hash of the key is kept: what is not written down now is lost. Roles: sender sends and looks, operator \
        also makes groups, viewer only looks, admin may do everything.

          upmc key create --role sender --app com.example.bank --name CRM --expires 2027-12-31T00:00:00+09:00
          curl -H "Authorization: Bearer upmc_…" …/v1/admin/messages/1
        """)

    @Option(help: "sender, operator, viewer or admin.")
    var role: Role

    @Option(name: .customLong("app"), help: "The only app it is for; without: all apps.")
    var appID: String?

    @Option(help: "Whose key it is, for lists.")
    var name = ""

    @Option(
      help: "When it ends, with the offset (2027-12-31T00:00:00+09:00); without: it never ends.")
    var expires: String?

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let key = try api.answer(
          .post(
            "api-keys",
            body: .members([
              "role": .text(role.rawValue), "appId": .optional(appID), "name": name.isEmpty ? nil : .text(name),
              "expiresAt": .optional(expires),
            ]))
        ).json
        call.output.show(key, key.text("apiKey"))
      }
    }
  }
}

extension KeyCommand {
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List API keys with their end and last use, never the keys themselves.",
      discussion: "  upmc key list --app com.example.bank")

    @Option(name: .customLong("app"), help: "Only those that reach this app, also those for all apps.")
    var appID: String?

    @Option(help: "How many.")
    var limit = 100

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.table(
          api, .get("api-keys", query: ["appId": appID]), call.output, limit: limit, none: "There are no API keys.",
          columns: ["ID", "ROLE", "APP", "NAME", "MADE", "ENDS", "LAST USED", "REVOKED"]
        ) { key in
          [
            key.text("apiKeyId"), key.text("role"), key.optional("appId") ?? "all", key.text("name"),
            key.text("createdAt"), key.optional("expiresAt") ?? "-", key.optional("lastUsedAt") ?? "-",
            key.optional("revokedAt") ?? "-",
          ]
        }
      }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End an API key: it opens nothing any more.", discussion: "  upmc key revoke 3")

    @Argument(help: "The key's number, as `upmc key list` shows it.")
    var key: Int32

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let entry = try api.answer(AdminRequest(.delete, ["api-keys", String(key)])).json
        call.output.show(entry, "Revoked key \(key).")
      }
    }
  }
}

extension Role: ExpressibleByArgument {}
