// What ThreadSanitizer cannot see by itself: a Swift Mutex that two threads want at once.
//
// `Synchronization.Mutex` takes and leaves an uncontended lock with atomic operations in the program's own, instrumented
// code. A contended one goes through two functions of libswiftSynchronization, which is not instrumented, and a futex
// that the kernel hands over: ThreadSanitizer then knows nothing of the order between the two threads, and calls whatever
// the lock protects a race. This library stands before those functions (LD_PRELOAD) and tells the order. In a program
// without ThreadSanitizer it does nothing.
//
// Signatures: Swift 6's LinuxImpl.swift; self is the address of the lock's word, in the context register.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

void __tsan_acquire(void *lock) __attribute__((weak));
void __tsan_release(void *lock) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF self) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF self) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF self) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF self) {
  SWIFT void (*next)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
  next(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF self) {
  SWIFT bool (*next)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
  bool taken = next(self);
  if (taken && __tsan_acquire) __tsan_acquire(self);
  return taken;
}

SWIFT void unlock_slow(SELF self) {
  SWIFT void (*next)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(self);
  next(self);
}
