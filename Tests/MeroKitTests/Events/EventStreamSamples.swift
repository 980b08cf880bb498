/// Streams in which every rule of the format comes up, most of them short enough for every way of cutting them.
enum EventStreamSamples {
    static let all: [[UInt8]] = texts.map { Array($0.utf8) } + bytes

    /// Of at most this many bytes.
    static func short(_ limit: Int) -> [[UInt8]] { all.filter { $0.count <= limit } }

    private static let texts = [
        // The node's own.
        "event: message\nid: 12-0\nretry: 3000\ndata: {\"type\":\"connect\",\"session_id\":\"12\",\"reconnect\":false}\n\n",
        ":\n\nevent: message\nid: 12-1\ndata: {\"result\":{\"contextId\":\"c\"}}\n\n: keepalive\n\n",
        // Line ends.
        "data:a\r\rdata:b\r\n\r\ndata:c\n\n",
        "data:a\r\ndata:b\r\r\n",
        "data:a\n\r\n\rdata:b\r\r",
        "\r\n\r\n\n\ndata:x\r\n\n",
        "data:a\r\r\rdata:b\n\n\n",
        // Data.
        "data:a\ndata\ndata: b\ndata:  c\n\n",
        "data\n\n", "data:\n\n", "data: \n\n", "data\ndata\n\n", "data\r\rdata\r\n\r\n",
        "data:\ndata:x\n\n", "data:x\ndata:\n\n", "data::x\n\n", "data :x\n\n",
        // Other fields.
        "id:1\n\ndata:x\n\nid\ndata:y\n\n", "id: a b\ndata:x\n\n", "id:7\ndata:x\n\ndata:y\n\n",
        "event:close\ndata:x\n\ndata:y\n\n", "event:a\n\ndata:x\n\n", "event:a\nevent\ndata:x\n\n",
        "event: message\ndata:\n\n",
        "retry:10\n\n", "retry:1x\nretry:\nretry\nretry: 25\n\n", "retry:-1\nretry:+1\nretry:1.5\n\n",
        "retry:99999999999999999999\n\n",
        "dataa:x\ndat:y\nDATA:z\nretryy:1\nevents:a\n\n", " data:x\n\n", "datum\n\ndata:x\n\n",
        // Comments.
        ":", ":\n", ":c:data:x\n:\r\n:\rdata:x\n\n", "data:x\n:between\ndata:y\n\n",
        // Ends in the middle.
        "data:x", "data:x\n", "data:x\ndata:y", "data", "data:", "data: ", "id:1", "id:1\ndata:x\nid:2", "event:a",
        "dat",
        "data:x\r", "data:x\n\ndata:y", "data:x\n:c", "retry:5", "data:x\nretry:5\nda",
        // Characters of several bytes, and a mark that is none.
        "data: 🎨é東\nid: 🎨\n\n", "data:x\n\n\u{FEFF}data:y\n\n",
        "\u{FEFF}data:x\n\n", "\u{FEFF}\u{FEFF}data:x\n\ndata:y\n\n", "\u{FEFF}\n\n", "\u{FEFF}", "\u{FEFF}:c\n",
        "",
    ]

    private static let bytes: [[UInt8]] = [
        // A mark that breaks off: the line it was to stand before begins with it.
        [0xEF] + Array("data:x\n\ndata:y\n\n".utf8),
        [0xEF, 0xBB] + Array("data:x\n\ndata:y\n\n".utf8),
        [0xEF, 0xBB, 10] + Array("data:y\n\n".utf8),
        [0xEF, 58, 10] + Array("data:y\n\n".utf8),
        [0xEF, 0xBB], [0xEF], [0xEF, 0xEF, 0xBB, 0xBF, 10] + Array("data:y\n\n".utf8),
        // NUL is a byte like another, but not in an id.
        Array("id:1\nid:a\0b\ndata:\0\n\n".utf8), Array("\0data:x\n\0id:1\ndata:y\n\n".utf8), [0, 10, 58, 0, 10],
        // No UTF-8.
        Array("data:".utf8) + [0xFF, 0xC3, 10] + Array("id:".utf8) + [0xFE, 10, 10],
    ]
}
