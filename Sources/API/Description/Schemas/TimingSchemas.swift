internal import JSON
internal import Domain

/// When, and how fast.
extension Schemas {
  static let timing: [JSONTree.Member] = [
    (
      "Fallback",
      JSONSchema.object(
        "When a short message is asked for; needs `sms`.", isClosed: true,
        [
          .optional("after", JSONSchema.duration(Domain.Limits.fallbackSeconds), "Three minutes by default."),
          .optional(
            "unless", JSONSchema.words(Fallback.Condition.allCases.map(\.name)),
            """
            What must have come by then: a receipt or read (`received`, by default), or a read. Without `mutable-content`, or \
            where the app's extension does not report, use `read`: no receipt comes from an iPhone that rests.
            """),
        ])
    ),
    (
      "Pace",
      JSONSchema.oneOf([
        JSONSchema.object(
          isClosed: true,
          [
            .needed(
              "perSecond", JSONSchema.number(Domain.Limits.pacePerSecond), "Devices a second, all nodes together.")
          ]),
        JSONSchema.object(
          isClosed: true,
          [
            .needed("devices", JSONSchema.number(Domain.Limits.paceDevices), "Devices of one portion."),
            .needed("wait", JSONSchema.duration(Domain.Limits.paceWaitSeconds), "Between two portions."),
          ]),
      ]).adding("description", "No faster than this.")
    ),
    (
      "Canary",
      JSONSchema.oneOf([
        canary("devices", Domain.Limits.canaryDevices, "Devices of the first part."),
        canary("percent", Domain.Limits.canaryPercent, "Share of the audience, at least one device."),
      ]).adding("description", "A first part; the rest follows only if it went well.")
    ),
    (
      "Repetition",
      JSONSchema.object(
        "Again and again; each occurrence is a message of its own. Needs `sendAt` or `localTime`.", isClosed: true,
        [
          .needed("every", JSONSchema.words(Repetition.Unit.allCases.map(\.rawValue))),
          .needed("until", .object([("type", "string"), ("format", "date")]), "The last day."),
        ])
    ),
    (
      "SendWindow",
      JSONSchema.object(
        "Outside of these hours deliveries wait. `from` after `to` spans midnight.", isClosed: true,
        [
          .needed("from", clockTime), .needed("to", clockTime, "Not the same as `from`."),
          .optional("zone", JSONSchema.words(["app", "device"]), "Whose clock; `app` by default."),
        ])
    ),
  ]

  private static func canary(_ name: String, _ range: ClosedRange<Int64>, _ about: String) -> JSONTree {
    JSONSchema.object(
      isClosed: true,
      [
        .needed(name, JSONSchema.number(range), about),
        .optional(
          "wait", JSONSchema.duration(Domain.Limits.canaryWaitSeconds), "How long to look; five minutes by default."),
        .optional(
          "maxRejectedPercent", JSONSchema.number(Domain.Limits.canaryRejectedPercent),
          "When more of it is rejected, the message stops; 10 by default."),
      ])
  }

  // MARK: Forms of time

  static let localTime = JSONSchema.text(
    matching: "^(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
      + "T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$", "date-time-local")
  static let clockTime = JSONSchema.text(matching: "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$")
}
