#if canImport(CCurl)
    import CCurl
    import Glibc

    /// The sockets of the connections that calls have left behind, by their local ports.
    ///
    /// libcurl 7.88 gives a call a connection on which bytes lie that nobody has asked for, e.g. the farewell of a server or
    /// what it sent behind an answer, and takes them for the call's answer. Only whoever drives the event loop comes here.
    final class CurlSockets {
        private var descriptors: [Int32: Int32] = [:]
        /// A call on a connection that is not known is not looked after, until the next one.
        private static let limit = 1024

        /// Called when a call has ended well and its handle is not yet taken away from libcurl.
        func note(_ easy: UnsafeMutableRawPointer) {
            var port = 0
            merokit_curl_get_long(easy, CURLINFO_LOCAL_PORT, &port)
            guard port > 0, descriptors[Int32(truncatingIfNeeded: port)] == nil else { return }
            var version = 0
            merokit_curl_get_long(easy, CURLINFO_HTTP_VERSION, &version)
            // HTTP/2 has something to say at any time, and numbers what belongs to whom.
            guard version == Int(CURL_HTTP_VERSION_1_1) || version == Int(CURL_HTTP_VERSION_1_0) else { return }
            var socket: curl_socket_t = -1
            guard merokit_curl_get_socket(easy, &socket) == CURLE_OK, socket >= 0 else { return }
            if descriptors.count >= Self.limit { descriptors.removeAll() }
            descriptors[Int32(truncatingIfNeeded: port)] = socket
        }

        /// Whether something has arrived on the connection from this port, which is about to be used again.
        func holdBytes(_ localPort: Int32) -> Bool {
            guard let descriptor = descriptors[localPort] else { return false }
            // The connection may be gone, and its number another's.
            guard Self.localPort(of: descriptor) == localPort else {
                descriptors[localPort] = nil
                return false
            }
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&poller, 1, 0) > 0 else { return false }
            descriptors[localPort] = nil
            return true
        }

        private static func localPort(of descriptor: Int32) -> Int32? {
            var address = sockaddr_in6()
            var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
            let result = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
            }
            // The port stands in the same place for both versions of IP.
            guard result == 0, [AF_INET, AF_INET6].contains(Int32(address.sin6_family)) else { return nil }
            return Int32(UInt16(bigEndian: address.sin6_port))
        }
    }
#endif
