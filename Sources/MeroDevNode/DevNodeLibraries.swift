#if canImport(CMicrohttpd)
    import CMicrohttpd
#endif

/// What the dev node stands on, for a diagnosis.
package enum DevNodeLibraries {
    /// Names with versions, one library each.
    package static var all: [String] {
        #if canImport(CMicrohttpd)
            return ["libmicrohttpd/\(String(cString: MHD_get_version()))"]
        #else
            return []
        #endif
    }
}
