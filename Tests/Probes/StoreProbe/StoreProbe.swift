import Foundation
import MeroKit

/// Calls a contract over and over with the session of a shared `FileTokenStore`, until its standard input ends.
///
/// Arguments: the node's URL, the store's path, a context that runs the dev node's probe contract. Prints the number of
/// calls; an error ends it with status 1.
@main
enum StoreProbe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let url = URL(string: arguments[1]) else { exit(2) }
        let store = FileTokenStore(url: URL(fileURLWithPath: arguments[2]))
        let mero = Mero(config: MeroConfig(baseURL: url, timeout: 60, tokenStore: store))
        let calls = Task {
            var count = 0
            while !Task.isCancelled {
                let _: Int = try await mero.rpc.execute(contextId: arguments[3], method: "count")
                count += 1
            }
            return count
        }
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            calls.cancel()
        }
        do {
            print(try await calls.value)
        } catch is CancellationError {
            print("cancelled in a call")
        }
    }
}
