import Foundation
import TestSupport
import Testing

/// axe-core, the accessibility checker that browsers' own tools are made of. It is no part of this repository:
/// `.ci/fetch-axe` puts it into `.build/axe`, and `make test` calls that first.
enum Axe {
  private static let path = TestDatabase.migrationsDirectory + "/../.build/axe/axe.min.js"

  static func source() throws -> String {
    let data = FileManager.default.contents(atPath: path) ?? Data()
    try #require(!data.isEmpty, "axe-core is not in .build/axe: run .ci/fetch-axe")
    return String(decoding: data, as: UTF8.self) + ";window.axe = axe;"
  }

  /// Resolves to what it found, a line each. Frames are left out: ours hold pages of their own.
  static let run = """
    return axe.run(document, {
      iframes: false, resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }).then((result) => result.violations.flatMap((rule) => rule.nodes.map((node) =>
      'axe ' + rule.id + ' (' + rule.impact + '): ' + node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? node.all[0]?.message
        ?? node.none[0]?.message ?? rule.help))));
    """
}
