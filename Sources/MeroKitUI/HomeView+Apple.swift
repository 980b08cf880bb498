#if canImport(SwiftUI) && canImport(Combine)
    import MeroKit
    import SwiftUI

    /// Shows who is signed in, calls a sample method, and signs out.
    ///
    /// Needs a `MeroClient` in the environment. Spec: 70, section 13.1.
    public struct HomeView: View {
        @EnvironmentObject private var client: MeroClient
        /// The context that the sample call goes to.
        public var demoContextId: String
        /// The method that it calls.
        public var demoMethod: String

        /// - Parameters:
        ///   - demoContextId: The context that the sample call goes to.
        ///   - demoMethod: The method that it calls.
        public init(demoContextId: String = "demo-context", demoMethod: String = "get") {
            self.demoContextId = demoContextId
            self.demoMethod = demoMethod
        }

        /// The page.
        public var body: some View {
            VStack(spacing: 16) {
                Text("Signed in").font(.title2).accessibilityIdentifier("homeTitle")
                Text(client.username).accessibilityIdentifier("homeUser")
                Text(client.nodeURL).font(.footnote).accessibilityIdentifier("homeNodeURL")
                if let note = client.cloudNote {
                    Text(note).font(.footnote).multilineTextAlignment(.center).accessibilityIdentifier("homeNote")
                }
                Button("Run a sample call") {
                    Task { await client.runSampleRpc(contextId: demoContextId, method: demoMethod) }
                }
                .accessibilityIdentifier("runRpcButton")
                if let result = client.lastRpcResult {
                    Text(result).accessibilityIdentifier("rpcResult")
                }
                if let message = client.errorMessage {
                    Text(message).foregroundColor(.red).multilineTextAlignment(.center)
                        .accessibilityIdentifier("homeError")
                }
                Button("Sign out") { Task { await client.logout() } }.accessibilityIdentifier("logoutButton")
            }
            .padding()
            .disabled(client.isLoading)
        }
    }
#endif
