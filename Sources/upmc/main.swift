/// `upmc`: the command line, and the server behind `upmc serve`.
internal import Glibc
internal import Reactor

// Threads inherit the signal mask, so this comes before any of them.
Signals.block()
exit(CommandOutcome.run(UPMC.self))
