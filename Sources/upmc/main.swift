internal import ArgumentParser
internal import Glibc

// A program whose reader has gone (`upmc status | head`) learns it from the write, not from a signal that kills it.
signal(SIGPIPE, SIG_IGN)
exit(CommandLineOutcome.run(UPMC.self))
