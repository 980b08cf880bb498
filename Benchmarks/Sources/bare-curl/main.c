// The yardstick: the least that a C program has to do to make the same calls with libcurl.
//
// It has no JSON, no tokens to refresh, no retries and no cancellation. What another client takes on top of this is
// what those things cost.
#include <curl/curl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

static const char usage[] =
    "usage: bare-curl easy|multi URL BODY TOKEN IN_FLIGHT SECONDS CALLS\n"
    "       bare-curl version\n"
    "\n"
    "Sends BODY to URL again and again and prints {\"calls\":N,\"seconds\":S}.\n"
    "  easy    one easy handle, one call at a time\n"
    "  multi   IN_FLIGHT handles under one multi handle\n"
    "It stops after CALLS calls, or after SECONDS when CALLS is 0. A short warm-up is not counted.\n";

// Enough to open every connection and to fill the caches, little enough not to matter under an instruction counter.
enum { warmup_calls = 64, reply_capacity = 64 * 1024, max_in_flight = 1024 };

struct reply {
    size_t length;
    char bytes[reply_capacity];
};

struct plan {
    const char *url;
    const char *body;
    struct curl_slist *headers;
    int in_flight;
    double seconds;
    long calls;
};

struct run {
    long started;
    long finished;
    long limit;  // 0: no limit
    double deadline;  // 0: no deadline
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "bare-curl: %s\n", what);
    exit(1);
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    struct reply *reply = context;
    size_t length = size * count;
    if (length > reply_capacity - reply->length) return 0;
    memcpy(reply->bytes + reply->length, bytes, length);
    reply->length += length;
    return length;
}

static CURL *make_handle(const struct plan *plan, struct reply *reply) {
    CURL *handle = curl_easy_init();
    if (!handle) fail("curl_easy_init failed");
    curl_easy_setopt(handle, CURLOPT_URL, plan->url);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, plan->body);
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, (long)strlen(plan->body));
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, plan->headers);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, reply);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, reply);
    return handle;
}

static void check(CURL *handle, CURLcode code, const struct reply *reply) {
    long status = 0;
    if (code != CURLE_OK) fail(curl_easy_strerror(code));
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200 || reply->length == 0) fail("the answer is not a 200 with a body");
}

static bool may_start(struct run *run) {
    if (run->limit && run->started >= run->limit) return false;
    if (run->deadline && now() >= run->deadline) return false;
    run->started++;
    return true;
}

static void easy(CURL *handle, struct reply *reply, struct run *run) {
    while (may_start(run)) {
        reply->length = 0;
        check(handle, curl_easy_perform(handle), reply);
        run->finished++;
    }
}

// Takes what is done out of the multi handle and, while the run lasts, puts it in again.
static void turn_over(CURLM *multi, struct run *run) {
    CURLMsg *message;
    int queued;
    while ((message = curl_multi_info_read(multi, &queued))) {
        if (message->msg != CURLMSG_DONE) continue;
        CURL *handle = message->easy_handle;
        CURLcode code = message->data.result;
        struct reply *reply;
        curl_easy_getinfo(handle, CURLINFO_PRIVATE, (char **)&reply);
        check(handle, code, reply);
        curl_multi_remove_handle(multi, handle);
        run->finished++;
        if (may_start(run)) {
            reply->length = 0;
            curl_multi_add_handle(multi, handle);
        }
    }
}

// curl_multi_socket_action over epoll was tried as well and made a fifth fewer calls: it handles one socket at a time
// where this loop handles all that are ready.
static void multi(CURLM *multi, CURL **handles, struct reply *replies, int count, struct run *run) {
    for (int index = 0; index < count && may_start(run); index++) {
        replies[index].length = 0;
        curl_multi_add_handle(multi, handles[index]);
    }
    while (run->finished < run->started) {
        int running;
        if (curl_multi_perform(multi, &running) != CURLM_OK) fail("curl_multi_perform failed");
        turn_over(multi, run);
        if (run->finished < run->started) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "version") == 0) {
        puts(curl_version());
#ifdef __GLIBC__
        printf("glibc/%s\n", gnu_get_libc_version());
#endif
        return 0;
    }
    if (argc != 8) {
        fputs(usage, stderr);
        return 64;
    }
    const char *mode = argv[1];
    char authorization[4096];
    snprintf(authorization, sizeof authorization, "Authorization: Bearer %s", argv[4]);
    struct plan plan = {
        .url = argv[2], .body = argv[3], .in_flight = atoi(argv[5]), .seconds = atof(argv[6]), .calls = atol(argv[7])};
    bool one = strcmp(mode, "easy") == 0;
    if (!one && strcmp(mode, "multi") != 0) fail("unknown mode");
    if (one) plan.in_flight = 1;
    if (plan.in_flight < 1 || plan.in_flight > max_in_flight) fail("IN_FLIGHT is out of range");
    if (plan.calls <= 0 && plan.seconds <= 0) fail("give SECONDS or CALLS");

    curl_global_init(CURL_GLOBAL_DEFAULT);
    plan.headers = curl_slist_append(plan.headers, "Content-Type: application/json");
    plan.headers = curl_slist_append(plan.headers, "Accept: application/json");
    plan.headers = curl_slist_append(plan.headers, authorization);

    struct reply *replies = calloc((size_t)plan.in_flight, sizeof *replies);
    CURL **handles = calloc((size_t)plan.in_flight, sizeof *handles);
    if (!replies || !handles) fail("out of memory");
    for (int index = 0; index < plan.in_flight; index++) handles[index] = make_handle(&plan, &replies[index]);
    CURLM *group = curl_multi_init();

    double start = 0;
    struct run run = {.limit = warmup_calls};
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            run = (struct run){.limit = plan.calls > 0 ? plan.calls : 0};
            start = now();
            if (!run.limit) run.deadline = start + plan.seconds;
        }
        if (one) {
            easy(handles[0], &replies[0], &run);
        } else {
            multi(group, handles, replies, plan.in_flight, &run);
        }
    }
    printf("{\"calls\":%ld,\"seconds\":%.6f}\n", run.finished, now() - start);

    for (int index = 0; index < plan.in_flight; index++) curl_easy_cleanup(handles[index]);
    curl_multi_cleanup(group);
    curl_slist_free_all(plan.headers);
    curl_global_cleanup();
    free(handles);
    free(replies);
    return 0;
}
