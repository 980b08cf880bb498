import MeroKit

@testable import MeroDevNode

extension LiveNode {
    /// The root of the node's account, which no API hands out.
    var root: AccountRoot { node.core.identity.root }
}
