// A node as far as its event stream goes, as fast as a C program can be one: what reads from it is the slower part.
//
//   GET  /<mode>/<bytes>/<count>/sse               a stream whose events have <bytes> bytes of payload
//   POST /<mode>/<bytes>/<count>/sse/subscription  starts the stream of the session named in the body
//
// Modes: `burst` sends <count> events without a pause; `pace` sends one a millisecond, each with the time of sending;
// `idle` sends none. The standard input's end ends the program; its port is what it prints.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { max_sessions = 65536, request_capacity = 64 * 1024, block_capacity = 1024 * 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t subscribed = PTHREAD_COND_INITIALIZER;
static bool is_subscribed[max_sessions];
static int sessions;

struct scenario {
    char mode[16];
    long bytes;
    long count;
};

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static bool send_all(int peer, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(peer, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes += sent;
        length -= (size_t)sent;
    }
    return true;
}

// One chunk of a chunked body.
static bool send_chunk(int peer, const char *bytes, size_t length) {
    char head[32];
    int head_length = snprintf(head, sizeof head, "%zx\r\n", length);
    return send_all(peer, head, (size_t)head_length) && send_all(peer, bytes, length) && send_all(peer, "\r\n", 2);
}

// One frame whose event has about `bytes` bytes, most of them the numbers of a contract event's data.
static size_t write_frame(char *out, long bytes, int session, long number, long long time) {
    char *at = out;
    at += sprintf(at, "id: %d-%ld\nevent: message\ndata: ", session, number);
    const char *start = at;
    at += sprintf(
        at,
        "{\"result\":{\"contextId\":\"1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b\","
        "\"type\":\"StateMutation\",\"data\":{\"t\":%lld,\"events\":[{\"kind\":\"Set\",\"data\":[123",
        time);
    while (at - start < bytes - 32) at += sprintf(at, ",%d", 32 + (int)((at - start) % 95));
    at += sprintf(at, "],\"handler\":null}]}}}\n\n");
    return (size_t)(at - out);
}

static bool wait_for_subscription(int session) {
    pthread_mutex_lock(&lock);
    while (!is_subscribed[session]) pthread_cond_wait(&subscribed, &lock);
    pthread_mutex_unlock(&lock);
    return true;
}

static void serve_stream(int peer, const struct scenario *scenario) {
    pthread_mutex_lock(&lock);
    int session = sessions = (sessions + 1) % max_sessions;
    is_subscribed[session] = false;
    pthread_mutex_unlock(&lock);
    const char *head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";
    char connect[256];
    int length = snprintf(
        connect, sizeof connect,
        "event: message\nid: %d-0\nretry: 3000\ndata: {\"type\":\"connect\",\"session_id\":\"%d\",\"reconnect\":false}\n\n",
        session, session);
    if (!send_all(peer, head, strlen(head)) || !send_chunk(peer, connect, (size_t)length)) return;
    if (strcmp(scenario->mode, "idle") == 0) {
        char byte;
        while (recv(peer, &byte, 1, 0) > 0) {}
        return;
    }
    wait_for_subscription(session);
    size_t capacity = block_capacity + (size_t)scenario->bytes * 2;
    char *block = malloc(capacity);
    if (block == NULL) return;
    bool is_open = true;
    if (strcmp(scenario->mode, "pace") == 0) {
        for (long number = 1; number <= scenario->count && is_open; number++) {
            struct timespec pause = {0, 1000000};
            nanosleep(&pause, NULL);
            is_open = send_chunk(peer, block, write_frame(block, scenario->bytes, session, number, now()));
        }
    } else {
        // As many frames as a block holds, written once and sent again and again.
        long in_block = 0;
        size_t ends[4096];
        size_t used = 0;
        while (in_block < 4096 && in_block < scenario->count && used < block_capacity) {
            used += write_frame(block + used, scenario->bytes, session, in_block + 1, 0);
            ends[in_block++] = used;
        }
        for (long sent = 0; sent < scenario->count && is_open;) {
            long take = scenario->count - sent < in_block ? scenario->count - sent : in_block;
            is_open = send_chunk(peer, block, ends[take - 1]);
            sent += take;
        }
    }
    free(block);
    // The client ends it: what it has read then is counted, and nothing is opened anew.
    char byte;
    while (is_open && recv(peer, &byte, 1, 0) > 0) {}
}

static void *serve(void *argument) {
    int peer = (int)(long)argument;
    int on = 1;
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    char *request = malloc(request_capacity);
    size_t length = 0;
    while (request != NULL) {
        request[length] = 0;
        char *end = strstr(request, "\r\n\r\n");
        size_t body = 0;
        if (end != NULL) {
            char *field = strcasestr(request, "\r\ncontent-length:");
            body = field != NULL && field < end ? strtoul(field + 17, NULL, 10) : 0;
        }
        if (end == NULL || length < (size_t)(end + 4 - request) + body) {
            ssize_t more = recv(peer, request + length, request_capacity - 1 - length, 0);
            if (more <= 0) break;
            length += (size_t)more;
            continue;
        }
        struct scenario scenario;
        char method[8];
        if (sscanf(request, "%7s /%15[^/]/%ld/%ld/", method, scenario.mode, &scenario.bytes, &scenario.count) != 4) break;
        if (strcmp(method, "GET") == 0) {
            serve_stream(peer, &scenario);
            break;
        }
        char *id = strstr(end, "\"id\":\"");
        if (id == NULL) break;
        int session = atoi(id + 6);
        const char *answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        if (session < 0 || session >= max_sessions || !send_all(peer, answer, strlen(answer))) break;
        pthread_mutex_lock(&lock);
        is_subscribed[session] = true;
        pthread_cond_broadcast(&subscribed);
        pthread_mutex_unlock(&lock);
        size_t whole = (size_t)(end + 4 - request) + body;
        memmove(request, request + whole, length - whole);
        length -= whole;
    }
    free(request);
    close(peer);
    return NULL;
}

static void *accept_all(void *argument) {
    int listener = (int)(long)argument;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 * 1024);
    pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
    while (true) {
        int peer = accept(listener, NULL, NULL);
        if (peer < 0) continue;
        pthread_t thread;
        if (pthread_create(&thread, &small, serve, (void *)(long)peer) != 0) close(peer);
    }
    return NULL;
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1024) != 0) return 1;
    getsockname(listener, (struct sockaddr *)&address, &size);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    pthread_t acceptor;
    if (pthread_create(&acceptor, NULL, accept_all, (void *)(long)listener) != 0) return 1;
    char byte;
    while (read(0, &byte, 1) > 0) {}
    return 0;
}
