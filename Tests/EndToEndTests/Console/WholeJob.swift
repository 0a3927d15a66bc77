import Operations

/// A job that people do at the console, from the dashboard to its end.
struct WholeJob: Sendable {
  let name: String
  /// Steps when the console was first judged, by its description: clicks, keys and filled fields; nil where the job could
  /// not be done.
  let first: Int?
  /// Most steps that it may take.
  let most: Int
  /// What others have done before.
  var prepare: @Sendable (ConsoleWorld) throws -> Void = { _ in }
  /// Does it, beginning on the dashboard, and waits until its end is seen.
  let perform: @Sendable (ConsoleWorld) throws -> Void
}

extension Browser {
  /// Goes to a page by the menu.
  func follow(_ page: String) throws {
    try click("nav.side a[data-path='\(page)']")
    try waitFor("main[data-ready='\(page)']")
  }

  /// Confirms the open dialog.
  func confirm() throws {
    try click("dialog[open] [type=submit]")
    try wait("no dialog", "return document.querySelector('dialog') === null")
  }
}
