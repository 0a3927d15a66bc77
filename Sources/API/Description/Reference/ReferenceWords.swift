internal import JSON
internal import Reactor

/// Korean titles of the API reference's areas and operations, from `Public/docs/reference.ko.json`. The descriptions
/// are English in both languages.
struct ReferenceWords: Sendable {
  /// Titles by key, such as `area.messages` or `operation.sendMessage`.
  let texts: [String: String]

  /// Reads the file. Returns nil if it does not exist, is not valid JSON, or has no members. Members that are not
  /// strings are ignored.
  init?(directory: String) {
    guard let bytes = RegularFile.open(path: "\(directory)/reference.ko.json")?.read(),
      let tree = try? JSONTree(parsing: bytes), !tree.members.isEmpty
    else { return nil }
    var texts: [String: String] = [:]
    for (name, value) in tree.members { texts[name] = value.string }
    self.texts = texts
  }
}
