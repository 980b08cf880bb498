extension Command {
    static let blob = Command(
        name: "blob", summary: "blobs of a node: list, put, get, delete",
        details: [
            "A blob is content under an id that is computed from it: the same content has the same id everywhere."
        ],
        examples: [
            .init(says: "store a file", line: "mero blob put photo.jpg"),
            .init(says: "and get it back", line: "mero blob get $BLOB photo.jpg"),
        ],
        subcommands: [blobList, blobPut, blobGet, blobShow, blobDelete, blobId])

    private static let blobOperand = Operand(name: "blob", help: "The blob's id.")

    private static let blobList = admin(
        "list", "list the blobs that the session may see",
        examples: [
            .init(says: "look", line: "mero blob list"),
            .init(says: "the largest, in a script", line: "mero blob list --json | jq '.blobs | max_by(.size)'"),
        ], act: BlobActs.list)

    private static let blobPut = admin(
        "put", "store a file, and print the blob's id",
        details: [
            "The file is streamed; a bar on the terminal shows how far it is. The node checks what arrives.",
            "Nodes take 1 GiB at most unless they were set up otherwise, so more is sent only with --limit.",
        ],
        operands: [.init(name: "file", help: "What to store.")], options: [.blobContext, .blobHash, .blobLimit],
        examples: [
            .init(says: "store a file", line: "mero blob put photo.jpg"),
            .init(says: "for the members of a context", line: "mero blob put photo.jpg --context $CONTEXT"),
            .init(says: "only if it is what you think", line: "mero blob put app.mpk --hash $SHA256"),
        ], act: BlobActs.put)

    private static let blobGet = admin(
        "get", "write a blob to a file",
        details: [
            "The content is checked against its hash before it takes the file's place; only you can read the file. A file "
                + "that exists is replaced after a question, or with --yes.",
            "With --context the node also looks for the blob at the context's other members.",
        ],
        operands: [blobOperand, .init(name: "file", help: "Where to.")],
        options: [.blobContext, .blobHash, .yes],
        examples: [
            .init(says: "get it", line: "mero blob get $BLOB photo.jpg"),
            .init(says: "from whoever has it", line: "mero blob get $BLOB photo.jpg --context $CONTEXT"),
            .init(says: "checked against a hash you trust", line: "mero blob get $BLOB app.mpk --hash $SHA256"),
        ], act: BlobActs.get)

    private static let blobShow = admin(
        "show", "show what the node knows of a blob",
        operands: [blobOperand], options: [.blobContext],
        examples: [.init(says: "look", line: "mero blob show $BLOB")], act: BlobActs.show)

    private static let blobDelete = admin(
        "delete", "delete a blob from the node",
        details: ["A blob that belongs to an application is not deleted: remove the application."],
        operands: [blobOperand], options: [.yes],
        examples: [
            .init(says: "ask first", line: "mero blob delete $BLOB"),
            .init(says: "in a script", line: "mero blob delete $BLOB --yes"),
        ], act: BlobActs.delete)

    private static let blobId = Command(
        name: "id", summary: "compute a file's blob id and hash, without a node",
        operands: [.init(name: "file", help: "The file.")],
        examples: [.init(says: "compute", line: "mero blob id photo.jpg")], body: AdminRun.body(BlobActs.id))
}

extension OptionSpec {
    static let blobContext = OptionSpec(
        name: "context", value: .text("ID"), help: "The context that the blob is for.")
    static let blobLimit = OptionSpec(
        name: "limit", value: .count, help: "The largest blob that the node takes, in MiB (1024 when not given).")
    static let blobHash = OptionSpec(
        name: "hash", value: .text("SHA256"), help: "What the content's SHA-256 has to be, 64 hex digits.")
}
