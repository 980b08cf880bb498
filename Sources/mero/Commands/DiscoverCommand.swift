import Foundation
import MeroKit

extension Command {
    static let discover = Command(
        name: "discover", summary: "find nodes that run on this machine",
        details: [
            "Asks the ports that local nodes use by convention, all at once, whether a healthy node answers. Ends with 4 "
                + "when none does."
        ],
        options: [.discoveryPort, .discoveryTimeout],
        examples: [
            .init(says: "look at the usual ports", line: "mero discover"),
            .init(says: "look elsewhere", line: "mero discover --port 8080 --port 8081"),
            .init(
                says: "sign in to the first one",
                line: "mero login --node \"$(mero discover --json | jq -r .nodes[0])\""),
        ],
        body: DiscoverCommand.run)
}

extension OptionSpec {
    static let discoveryPort = OptionSpec(
        name: "port", value: .port, help: "Ask this port instead of the usual ones.", repeats: true)
    static let discoveryTimeout = OptionSpec(
        name: "timeout", value: .seconds, help: "Wait this long for each port (2 when not given).")
}

enum DiscoverCommand {
    static func run(_ invocation: Invocation) async throws -> ExitCode {
        let named = invocation.arguments.ports(.discoveryPort).map(Int.init)
        let ports = named.isEmpty ? NodeDiscovery.defaultLocalPorts : named
        let found = await NodeDiscovery.discoverLocalNodes(
            ports: ports, timeout: invocation.arguments.seconds(.discoveryTimeout) ?? 2)
        try Task.checkCancellation()
        for url in found { try invocation.console.line(url.absoluteString) }
        try invocation.console.document([
            "nodes": .strings(found.map(\.absoluteString)), "ports": .array(ports.map { .integer(Int64($0)) }),
        ])
        guard found.isEmpty else { return .done }
        throw Failure(
            code: .unreachable,
            message: "No node answers on this machine (ports \(ports.map(String.init).joined(separator: ", ")))",
            hint: "Start one with \"mero dev\", or name another with --node URL")
    }
}
