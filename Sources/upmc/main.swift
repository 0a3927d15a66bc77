/// `upmc`: the command line, and the server behind `upmc serve`.
internal import Glibc
internal import Reactor

// Threads inherit the signal mask, so it must be set before any of them starts.
Signals.block()
let status = CommandOutcome.run(UPMC.self)
// After a failed start, threads may still be running; an orderly exit would free the libraries' state from under them.
if status == CommandOutcome.failed {
  fflush(nil)
  _exit(status)
}
exit(status)
