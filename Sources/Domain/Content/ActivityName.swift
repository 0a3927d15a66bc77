package import JSON

/// Identifies a Live Activity on a device, by the app's own names.
package struct ActivityName: Hashable, Sendable {
  /// The app's name for this activity: ActivityKit's `Activity.id`, or the app's own, such as `order-42`.
  package let id: String
  /// Name of the activity's attributes type, as in `attributes-type`; nil if not given, so that no selection by type
  /// includes the activity.
  package let attributesType: String?

  package init(id: String, attributesType: String? = nil) {
    self.id = id
    self.attributesType = attributesType
  }
}

/// Selects the Live Activities on a device that a push is for: those with this id and this attributes type. A member
/// that is nil does not restrict the selection, so without either it contains all of them.
package struct ActivitySelection: Hashable, Sendable {
  package let id: String?
  package let attributesType: String?

  package init(id: String? = nil, attributesType: String? = nil) {
    self.id = id
    self.attributesType = attributesType
  }
}

extension JSONForm<String> {
  /// The form of an activity's id: 1 to 128 letters, digits and `. _ ~ : -`, because it is used in URL paths; neither
  /// `.` nor `..`.
  package static let activityID = JSONForm.text(
    upTo: Domain.Limits.activityIDBytes, pattern: #"^[A-Za-z0-9._~:-]+$"#
  ).mapped(
    by: { text in text.isActivityID ? text : nil }, else: "must be letters, digits and . _ ~ : -", written: { $0 })
}

extension String {
  package var isActivityID: Bool {
    guard (1...Domain.Limits.activityIDBytes).contains(utf8.count), self != ".", self != ".." else { return false }
    return utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F, 0x7E: true
      default: false
      }
    }
  }
}
