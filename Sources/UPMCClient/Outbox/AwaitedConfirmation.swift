/// A stored confirmation whose result calls of this process wait for.
struct AwaitedConfirmation {
  /// The number of calls that wait.
  var callers = 0
  /// The final result, if any call has got it; nil before.
  var verdict: FlushReport.Verdict?
}
