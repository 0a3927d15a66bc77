internal import ArgumentParser
internal import Reactor

// Threads inherit the signal mask, so this comes before any of them.
Signals.block()
SimulatorCommand.main()
