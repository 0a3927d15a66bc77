/// `upmc-simulator`: Apple's push service on this machine.
internal import Glibc
internal import Reactor

/// The program. Threads inherit the signal mask, so this comes before any of them.
Signals.block()
exit(CommandOutcome.run())
