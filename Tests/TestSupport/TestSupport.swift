/// What tests share: a real PostgreSQL for each test process, databases cut from a template, temporary directories.
///
/// ```
///   test process ──pipe──► watchdog shell ──► postgres (private directory, Unix socket only)
///        │ ends, however it ends: the pipe closes ──► the shell stops postgres and removes the directory
/// ```
package enum TestSupport {
  /// Numbers of this module: unit, reason.
  package enum Limits {
    /// A test that waits longer than this has failed: generous, for a loaded machine. Seconds.
    package static let timeoutSeconds = 300 * Sanitizers.slowness
  }
}
