internal import Domain

/// One controller (call) of the protocol: its name, its description, the fields of its form, and its handler. `all`
/// lists every controller that is served, and a test calls each.
struct Controller: Sendable {
  typealias Handler = @Sendable (LegacyHandler) -> (LegacyCall) throws(LegacyRefusal) -> Void

  let name: String
  let summary: String
  let about: String
  /// Names of the form's fields, for the description, without those that nearly every call has. A final `!` marks
  /// required fields.
  let fields: [String]
  /// Example of BODY in a successful answer, as JSON.
  let body: String
  /// Whether it is a call of servers, which have a trusted address or an API key. Each handler checks that itself:
  /// `rcv_register_message` accepts devices too. Refusals of these calls have an object as BODY.
  let isForServers: Bool
  /// Whether it accepts a body longer than `LegacyLimits.loopFormBytes`, such as a list of people or a file.
  let takesLongForms: Bool
  let handler: Handler

  init(
    _ name: String, _ summary: String, _ about: String, _ fields: String = "", body: String = "[{}]",
    isForServers: Bool = false, takesLongForms: Bool = false, _ handler: @escaping Handler
  ) {
    self.name = name
    self.summary = summary
    self.about = about
    self.fields = fields.split(separator: " ").map(String.init)
    self.body = body
    self.isForServers = isForServers
    self.takesLongForms = takesLongForms
    self.handler = handler
  }

  static let about = """
    Forms (urlencoded or multipart) posted to `/<context>/<controller>.ctl`; any context, unless UPMC_CTL_CONTEXT \
    names some. The answer has HTTP 200, whatever the code is: `0000` done; `40100` no AUTHKEY, or one that is old or \
    another device's (ask for a key and repeat the call); `40300` the device is another user's; `400` no such device \
    or token; `4400` nobody whom a send is for is registered; `4444` no such app, or one that is being deleted; \
    `5500`, `5600` a reserved send that comes too late, or fails; `42900` too much; `50300` this server may not send; \
    `500` anything else, in words. 503 asks to come again.
    """

  static let byName: [String: Controller] = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}
