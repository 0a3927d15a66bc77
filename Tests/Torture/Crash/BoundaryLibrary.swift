/// Counts the boundaries of a process and acts at one of them on request.
///
/// A boundary is each moment at which the process exchanges information with the outside: bytes written to a socket or
/// read from one. Everything passes there: statements and results (libpq), frames to push networks (OpenSSL), responses
/// to clients, events to webhooks. So the library interposes the C library's socket calls, and the program under test
/// is the released one, unmodified.
enum BoundaryLibrary {
  static let source = """
    #define _GNU_SOURCE
    #include <arpa/inet.h>
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <signal.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/mman.h>
    #include <sys/socket.h>
    #include <unistd.h>

    enum { COUNTING, REACHED, TARGET, WAY, VICTIM, FIRED, COUNTS, WORDS = COUNTS + 8 };
    enum { DATABASE, NETWORK, CLIENT, WEBHOOK };
    enum { KILL_BEFORE, KILL_AFTER, CUT_BEFORE, CUT_AFTER, POSTGRES_BEFORE, POSTGRES_AFTER };

    static volatile int64_t *page;
    static int listening, hook;

    __attribute__((constructor)) static void find(void) {
      const char *path = getenv("TORTURE_BOUNDARIES"), *port = getenv("TORTURE_LISTENING"), *own = getenv("TORTURE_HOOK");
      listening = port ? atoi(port) : 0;
      hook = own ? atoi(own) : 0;
      int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
      if (file < 0) return;
      void *found = mmap(0, WORDS * sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
      close(file);
      if (found != MAP_FAILED) page = found;
    }

    /* Whom a descriptor speaks with; -1: nobody, for it is no connected socket. */
    static int peer(int fd) {
      struct sockaddr_storage there, here;
      socklen_t size = sizeof there;
      if (getpeername(fd, (struct sockaddr *)&there, &size) != 0) return -1;
      if (there.ss_family == AF_UNIX) return DATABASE;
      if (there.ss_family != AF_INET) return -1;
      size = sizeof here;
      if (getsockname(fd, (struct sockaddr *)&here, &size) != 0) return -1;
      if (ntohs(((struct sockaddr_in *)&here)->sin_port) == listening) return CLIENT;
      return ntohs(((struct sockaddr_in *)&there)->sin_port) == hook ? WEBHOOK : NETWORK;
    }

    /* True for the one at which something is to happen. */
    static int reach(int fd, int out) {
      if (!page || !page[COUNTING]) return 0;
      int whom = peer(fd);
      if (whom < 0) return 0;
      __atomic_add_fetch(&page[COUNTS + 2 * whom + out], 1, __ATOMIC_RELAXED);
      if (__atomic_add_fetch(&page[REACHED], 1, __ATOMIC_SEQ_CST) != page[TARGET]) return 0;
      page[FIRED] = 1 + 2 * whom + out;
      return 1;
    }

    static void strike(int fd) {
      switch (page[WAY]) {
        case KILL_BEFORE: case KILL_AFTER:
          kill(getpid(), SIGKILL);
          for (;;) pause();
        case CUT_BEFORE: case CUT_AFTER: shutdown(fd, SHUT_RDWR); return;
        default: if (page[VICTIM] > 0) kill((pid_t)page[VICTIM], SIGKILL);
      }
    }

    #define REAL(name) ({ static __typeof__(&name) real; if (!real) real = dlsym(RTLD_NEXT, #name); real; })
    #define OUT(call) \\
      int hit = reach(fd, 1), isBefore = hit && page[WAY] % 2 == 0; \\
      if (isBefore) strike(fd); \\
      ssize_t count = call; \\
      if (hit && !isBefore) strike(fd); \\
      return count
    #define IN(call) \\
      ssize_t count = call; \\
      if (count > 0 && reach(fd, 0)) strike(fd); \\
      return count

    ssize_t send(int fd, const void *bytes, size_t size, int flags) { OUT(REAL(send)(fd, bytes, size, flags)); }
    ssize_t sendmsg(int fd, const struct msghdr *message, int flags) { OUT(REAL(sendmsg)(fd, message, flags)); }
    ssize_t write(int fd, const void *bytes, size_t size) { OUT(REAL(write)(fd, bytes, size)); }
    ssize_t recv(int fd, void *bytes, size_t size, int flags) { IN(REAL(recv)(fd, bytes, size, flags)); }
    ssize_t read(int fd, void *bytes, size_t size) { IN(REAL(read)(fd, bytes, size)); }
    """
}
