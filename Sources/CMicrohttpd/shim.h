// libmicrohttpd's daemon options are variadic, which Swift cannot call; sockets are opened here because their constants and
// structures import differently on every system.
#ifndef MEROKIT_CMICROHTTPD_SHIM_H
#define MEROKIT_CMICROHTTPD_SHIM_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include <microhttpd.h>

/// Starts a daemon on a socket that listens already; MHD_stop_daemon closes it.
static inline struct MHD_Daemon *merokit_mhd_start(
    int listen_socket, unsigned int flags, unsigned int connection_limit, size_t connection_memory, void *context,
    void *(*target)(void *context, const char *raw_target, struct MHD_Connection *connection),
    MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connection_changed) {
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handler, context,
        MHD_OPTION_LISTEN_SOCKET, listen_socket,
        MHD_OPTION_CONNECTION_LIMIT, connection_limit,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_memory,
        MHD_OPTION_URI_LOG_CALLBACK, target, context,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, connection_changed, context,
        MHD_OPTION_END);
}

/// A TCP socket bound to the IPv4 loopback address, not listening yet. Port 0 takes any free port. -1 and errno on failure.
static inline int merokit_bind_loopback(uint16_t port) {
#ifdef SOCK_CLOEXEC
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
#else
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
#endif
    if (descriptor < 0) { return -1; }
    int on = 1;
    struct sockaddr_in address;
    memset(&address, 0, sizeof(address));
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0
        || setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0
        || bind(descriptor, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

/// The port a socket is bound to, or 0.
static inline uint16_t merokit_bound_port(int descriptor) {
    struct sockaddr_in address;
    socklen_t size = sizeof(address);
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) { return 0; }
    return ntohs(address.sin_port);
}

/// The socket of a connection, or -1.
static inline int merokit_mhd_connection_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : (int)info->connect_fd;
}

/// Writes "address:port" of the client; an empty text when it cannot be told.
static inline void merokit_mhd_peer(struct MHD_Connection *connection, char *text, size_t size) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    char address[INET_ADDRSTRLEN];
    text[0] = 0;
    if (info == NULL || info->client_addr == NULL || info->client_addr->sa_family != AF_INET) { return; }
    const struct sockaddr_in *peer = (const struct sockaddr_in *)(const void *)info->client_addr;
    if (inet_ntop(AF_INET, &peer->sin_addr, address, sizeof(address)) == NULL) { return; }
    snprintf(text, size, "%s:%u", address, (unsigned int)ntohs(peer->sin_port));
}

/// Hands an upgraded connection's socket back to libmicrohttpd, which closes it.
static inline void merokit_mhd_close_upgraded(struct MHD_UpgradeResponseHandle *handle) {
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}

/// Sends small pieces at once instead of waiting for more.
static inline void merokit_no_delay(int descriptor) {
    int on = 1;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/// Writes to a socket without raising a signal when the peer has left.
static inline ssize_t merokit_send(int descriptor, const void *bytes, size_t count) {
#ifdef MSG_NOSIGNAL
    return send(descriptor, bytes, count, MSG_NOSIGNAL);
#else
    return send(descriptor, bytes, count, 0);
#endif
}

/// Lets the next close of a socket be a reset.
static inline void merokit_reset_on_close(int descriptor) {
    struct linger reset = {1, 0};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
}

/// To be called before a reader of content answers merokit_mhd_end_with_error. libmicrohttpd 0.9.75 shuts the connection down
/// then, but looks at it once more, to close it, only when it is the oldest one or something happens to it, which it no
/// longer can. With a time-out of its own it is looked at in every round, and there is one after a second at the latest.
static inline void merokit_mhd_close_soon(struct MHD_Connection *connection) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 1U);
}

static inline uint64_t merokit_mhd_size_unknown(void) { return MHD_SIZE_UNKNOWN; }
static inline ssize_t merokit_mhd_end_of_stream(void) { return MHD_CONTENT_READER_END_OF_STREAM; }
static inline ssize_t merokit_mhd_end_with_error(void) { return MHD_CONTENT_READER_END_WITH_ERROR; }

/// Bytes that wait in a socket, -1 when it cannot be told.
static inline int merokit_unread_bytes(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

/// What to ask poll for in order to hear that the peer has closed, unread bytes or not. Elsewhere than on Linux the
/// answer to no question at all, POLLHUP, says it.
static inline short merokit_poll_hangup(void) {
#if defined(POLLRDHUP)
    return POLLRDHUP;
#elif defined(__linux__)
    return 0x2000;
#else
    return 0;
#endif
}

#endif
