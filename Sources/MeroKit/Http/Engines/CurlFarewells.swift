#if canImport(CCurl)
    /// The calls of one event loop whose receivers have enough before libcurl is done with them. Only whoever drives the loop
    /// comes here.
    final class CurlFarewells {
        /// To be answered at the end of the lap.
        private var sated: [CurlHandle] = []
        /// How many connections are waited for, whose callers have been answered.
        private(set) var count = 0

        func note(_ handle: CurlHandle) { sated.append(handle) }

        func take() -> [CurlHandle] {
            guard !sated.isEmpty else { return [] }
            defer { sated = [] }
            return sated
        }

        func begin() { count += 1 }

        func end() { count -= 1 }
    }
#endif
