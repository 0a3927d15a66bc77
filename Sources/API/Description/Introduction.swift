internal import JSON
internal import PlainText

/// The text at the beginning of the API description: rules for all operations, and the kinds of credentials.
enum Introduction {
  static let text = """
    Three kinds of callers use it: devices (`/v1`), back-office systems and operators (`/v1/admin`), and whoever watches \
    the server (`/health`, `/ready`).

    **JSON.** Bodies are JSON in UTF-8 with names in camelCase. An unknown or repeated field is refused and named; so \
    are a parameter behind the `?` that the operation does not list, and one given twice; and so is U+0000 in a text. Objects and lists may stand in each other \(JSON.Limits.depth) deep, an object has at most \
    \(JSON.Limits.members) members, and a text no more than \(PlainText.Limits.marks) combining marks in a row (Unicode's \
    stream-safe format). Times are RFC 3339, UTC in \
    answers. Where a length is given in bytes (`x-maxBytes`), the UTF-8 bytes count.

    **Durability.** A write is answered 2xx only when it is committed. Every request may be repeated: registrations and \
    confirmations find what was done before; a send is made once per `Idempotency-Key`.

    **Problems.** Whatever is refused is refused with `application/problem+json` (RFC 9457). `type` is a stable code to \
    branch on, `detail` says what to do, `errors` names all fields at fault by JSON pointers, up to \(JSON.Limits.errors). \
    Nothing of a refused request is applied. What is wrong by itself is 400; what is right by itself and cannot be together, or not now, is \
    422. `requestId` is also in the header `X-Request-Id` and in the server's log. `405` is answered with `Allow`, `429` \
    and `503` with `Retry-After`.

    **Shares** (`/v1/admin`). A caller is an API key, or a console account with all its sessions. A caller may have 64 requests \
    waiting, all callers of an app together 128. One caller may have 8 live views (`/events`) open and take out 2 \
    files (`/exports`) at one time, one app's callers 64 and 4. Whoever has its share is told `429` with \
    `upmc:too-many-requests`; `detail` says which share it is.

    **Lists** come in pages: pass `nextCursor` of one page as `cursor` to get the next; null ends the list. \
    A page ends early once its items are long: about a mebibyte together.
    """

  static let securitySchemes: [JSONTree.Member] = [
    (
      "clientKey",
      bearer(
        "The app's client key, as `upmc app create` printed it. It is inside the app: it names the app, it proves nothing."
      )
    ),
    ("authKey", bearer("The device's own key, as its registration answered it. It speaks for this device only.")),
    (
      "apiKey",
      bearer(
        "An API key, as `upmc key create` printed it. Its role says what it may do, and it may be limited to one app.")
    ),
  ]

  private static func bearer(_ about: String) -> JSONTree {
    .object([("type", "http"), ("scheme", "bearer"), ("description", .text(about))])
  }
}
