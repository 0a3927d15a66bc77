/// Apple's push service as it behaves, for tests, demos and benchmarks.
package enum Simulator {}
