extension Command {
    static let app = Command(
        name: "app", summary: "applications of a node: list, install, remove",
        details: [
            "An application keeps its id through all its versions. A node installs from the registry in its own "
                + "configuration, or a signed bundle from its own disk."
        ],
        examples: [
            .init(says: "what is installed", line: "mero app list"),
            .init(says: "install a version", line: "mero app install com.example.notes 1.2.0"),
        ],
        subcommands: [
            appList, appShow, appInstall, appVersions, appAvailable, appPackages, appAbi, appRemove,
        ])

    private static let appList = admin(
        "list", "list what is installed",
        examples: [
            .init(says: "look", line: "mero app list"),
            .init(says: "ids for a script", line: "mero app list --json | jq -r .applications[].applicationId"),
        ], act: AppActs.list)

    private static let appShow = admin(
        "show", "show an application",
        operands: [.applicationId],
        examples: [.init(says: "look", line: "mero app show $APPLICATION")], act: AppActs.show)

    private static let appInstall = admin(
        "install", "install an application, or a new version of one",
        details: [
            "By package and version from the node's registry; or with --file a signed .mpk bundle, which has to lie where "
                + "the node runs.",
            "Contexts go on with the version they have. \"mero group upgrade\" moves them.",
        ],
        operands: [
            .init(name: "package", help: "The package's name in the registry.", optional: true),
            .init(name: "version", help: "Its version.", optional: true),
        ],
        options: [.bundleFile],
        examples: [
            .init(says: "from the registry", line: "mero app install com.example.notes 1.2.0"),
            .init(says: "a bundle of your own, on a node of this machine", line: "mero app install --file notes.mpk"),
        ], act: AppActs.install)

    private static let appVersions = admin(
        "versions", "list the versions of an application on the node",
        operands: [.applicationId],
        examples: [.init(says: "look", line: "mero app versions $APPLICATION")], act: AppActs.versions)

    private static let appAvailable = admin(
        "available", "list the versions of a package in a registry",
        details: ["Asks the registry itself, newest version first. The session is not shown to it."],
        operands: [.init(name: "package", help: "The package's name.")], options: [.registry],
        examples: [
            .init(says: "look", line: "mero app available com.example.notes --registry https://apps.example")
        ], act: AppActs.available)

    private static let appPackages = admin(
        "packages", "list the packages that the node knows",
        operands: [.init(name: "package", help: "Only this one, with all its versions.", optional: true)],
        examples: [
            .init(says: "all of them", line: "mero app packages"),
            .init(says: "the versions of one", line: "mero app packages com.example.notes"),
        ], act: AppActs.packages)

    private static let appAbi = admin(
        "abi", "print the interface of an application as JSON",
        operands: [.applicationId], options: [.service],
        examples: [.init(says: "its methods", line: "mero app abi $APPLICATION | jq -r .methods[].name")],
        act: AppActs.abi)

    private static let appRemove = admin(
        "remove", "remove an application in all its versions",
        details: ["Contexts that run it stand still until it is installed again."],
        operands: [.applicationId], options: [.yes],
        examples: [
            .init(says: "ask first", line: "mero app remove $APPLICATION"),
            .init(says: "in a script", line: "mero app remove $APPLICATION --yes"),
        ], act: AppActs.remove)
}

extension OptionSpec {
    static let bundleFile = OptionSpec(
        name: "file", short: "f", value: .file, help: "A signed .mpk bundle on the node's own disk.")
    static let registry = OptionSpec(name: "registry", value: .node, help: "The registry's address.")
}
