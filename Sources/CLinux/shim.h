/// Linux system calls that Swift's Glibc module does not export.
#pragma once
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/// `epoll_event` holds a union, which Swift treats as unsafe; these take and give plain integers instead.
static inline int upmc_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data = {.u64 = data}};
  return epoll_ctl(epoll, operation, fd, &event);
}

static inline uint32_t upmc_epoll_events(const struct epoll_event *events, int index) { return events[index].events; }
static inline uint64_t upmc_epoll_data(const struct epoll_event *events, int index) { return events[index].data.u64; }

/// `EFD_*` are an anonymous enum, imported under a type of their own; a function avoids the casts.
static inline int upmc_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

/// `accept4` is behind `_GNU_SOURCE`, which Swift's Glibc module map does not define.
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);
static inline int upmc_accept(int fd) { return accept4(fd, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC); }

/// `pthread_setname_np` is behind `_GNU_SOURCE` too. Names are at most 15 bytes.
extern int pthread_setname_np(pthread_t thread, const char *name);
static inline int upmc_name_this_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

/// A descriptor that turns readable when a process ends (Linux 5.3); glibc before 2.36 has no wrapper, and `syscall` is
/// variadic, which Swift cannot call.
#include <sys/syscall.h>
extern long syscall(long number, ...);
static inline int upmc_pidfd_open(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

/// `environ` is a mutable global, which Swift rejects as shared state; it is only read here, before threads change it.
extern char **environ;
static inline char *const *upmc_environment(void) { return environ; }

/// Lets a listening TCP socket ignore who knocks anew (SYN without ACK) while those whose handshake is under way or
/// done still get in: a socket filter sees each segment from its TCP header on, the flags are byte 13 (RFC 9293 §3.1).
/// `sock_fprog` needs arrays that Swift would have to build by hand.
#include <linux/filter.h>
static inline int upmc_ignore_new_connections(int fd) {
  struct sock_filter code[] = {
      {BPF_LD | BPF_B | BPF_ABS, 0, 0, 13},
      {BPF_ALU | BPF_AND | BPF_K, 0, 0, 0x12},
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0x02},
      {BPF_RET | BPF_K, 0, 0, 0},
      {BPF_RET | BPF_K, 0, 0, 0xffffffff},
  };
  struct sock_fprog program = {sizeof code / sizeof code[0], code};
  return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}
