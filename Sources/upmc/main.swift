/// `upmc`: the command line, and the server behind `upmc serve`.
internal import Glibc
internal import Reactor

// Threads inherit the signal mask, so this comes before any of them.
Signals.block()
let status = CommandOutcome.run(UPMC.self)
// A server whose start failed half-way has threads that still work: what libraries undo at an orderly exit would be taken
// from under them.
if status == CommandOutcome.failed {
  fflush(nil)
  _exit(status)
}
exit(status)
