/* A wall clock that is wrong by as many milliseconds as a file says: $DAYBREAK_SKEW/broker of a Kafka broker, rest of all others.

   The file is looked at with each question, so that a clock can be set while its process runs. Time that only runs on
   (CLOCK_MONOTONIC) stays right, as it does on a machine whose clock is set. What waits until a wall time is told the right one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *wrong_by;
static int (*timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static int (*cnd_wait_until)(cnd_t *, mtx_t *, const struct timespec *);
static int (*sem_wait_until)(sem_t *, const struct timespec *);

__attribute__((constructor)) static void begin(void) {
    char line[1 << 16], path[4096];
    timedwait = dlvsym(RTLD_NEXT, "pthread_cond_timedwait", "GLIBC_2.3.2");
    if (!timedwait) timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    cnd_wait_until = dlsym(RTLD_NEXT, "cnd_timedwait");
    sem_wait_until = dlsym(RTLD_NEXT, "sem_timedwait");
    const char *folder = getenv("DAYBREAK_SKEW");
    int file = open("/proc/self/cmdline", O_RDONLY);
    if (!folder || file < 0) return;
    ssize_t size = read(file, line, sizeof line);
    close(file);
    int is_broker = size > 0 && memmem(line, size, "kafka.Kafka", 11) != NULL;
    snprintf(path, sizeof path, "%s/%s", folder, is_broker ? "broker" : "rest");
    if ((file = open(path, O_RDONLY)) < 0) return;
    void *at = mmap(NULL, sizeof *wrong_by, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (at != MAP_FAILED) wrong_by = at;
}

static void add(struct timespec *t, int64_t ms) {
    int64_t ns = t->tv_nsec + (ms % 1000) * 1000000;
    t->tv_sec += ms / 1000 + ns / 1000000000;
    t->tv_nsec = ns % 1000000000;
    if (t->tv_nsec < 0) t->tv_nsec += 1000000000, t->tv_sec--;
}

int clock_gettime(clockid_t id, struct timespec *t) {
    long failed = syscall(SYS_clock_gettime, id, t);
    if (!failed && wrong_by && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) add(t, *wrong_by);
    return (int)failed;
}

int gettimeofday(struct timeval *t, void *zone) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    t->tv_sec = now.tv_sec, t->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *t) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (t) *t = now.tv_sec;
    return now.tv_sec;
}

/* A time since the machine's start is never that large. */
static struct timespec right(const struct timespec *until) {
    struct timespec own = *until;
    if (wrong_by && own.tv_sec > 1000000000) add(&own, -*wrong_by);
    return own;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    struct timespec own = right(until);
    return timedwait(condition, mutex, &own);
}

/* librdkafka's: it asks for the time by clock_gettime, and the C library's own would wait by the right one. */
int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until) {
    struct timespec own = right(until);
    return cnd_wait_until(condition, mutex, &own);
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    struct timespec own = right(until);
    return sem_wait_until(semaphore, &own);
}
