import Foundation
import MeroKit

/// Calls a contract over and over with the session of a shared `FileTokenStore`, until a file appears or the parent is
/// gone.
///
/// Arguments: the node's URL, the store's path, a context that runs the dev node's probe contract, the file that ends it.
/// An error ends it with status 1.
@main
enum StoreProbe {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let url = URL(string: arguments[1]) else { exit(2) }
        let store = FileTokenStore(url: URL(fileURLWithPath: arguments[2]))
        let mero = Mero(config: MeroConfig(baseURL: url, timeout: 60, tokenStore: store))
        let parent = getppid()
        do {
            while access(arguments[4], F_OK) != 0, getppid() == parent {
                do {
                    let _: Int = try await mero.rpc.execute(contextId: arguments[3], method: "count")
                } catch MeroError.http(let answer) where answer.headers["x-auth-error"] == "token_expired" {
                    // The token just obtained was expired again before it was shown: no call is repeated twice.
                }
            }
        } catch {
            print(error)
            exit(1)
        }
    }
}
