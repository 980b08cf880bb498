#if canImport(CCurl)
    import CCurl
#endif
#if canImport(COpenSSL)
    import COpenSSL
#endif

/// What MeroKit stands on, for a diagnosis.
package enum LibraryVersions {
    /// Names with versions, one library each.
    package static var all: [String] {
        var versions: [String] = []
        #if canImport(CCurl)
            // `libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13 ... nghttp2/1.52.0 ...`: those that a call depends on.
            let parts = String(cString: curl_version()).split(separator: " ").map(String.init)
            versions += parts.filter { part in ["libcurl/", "zlib/", "nghttp2/"].contains(where: part.hasPrefix) }
        #else
            versions.append("URLSession")
        #endif
        #if canImport(COpenSSL)
            versions.append(String(cString: OpenSSL_version(OPENSSL_VERSION)))
        #else
            versions.append("CryptoKit")
        #endif
        return versions
    }
}
