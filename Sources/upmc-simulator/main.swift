/// `upmc-simulator`: Apple's and Google's push services on this machine.
internal import Glibc
internal import Reactor

// Threads inherit the signal mask, so set it before starting any.
Signals.block()
exit(CommandOutcome.run())
