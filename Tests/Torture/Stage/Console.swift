import Foundation

/// Progress lines on standard error, so that standard output contains only the page.
enum Console {
  static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
