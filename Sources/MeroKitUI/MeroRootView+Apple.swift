#if canImport(SwiftUI) && canImport(Combine)
    import MeroKit
    import SwiftUI

    /// Shows the sign-in, and the app's page once somebody is signed in.
    ///
    /// It takes up the stored session when it appears, without showing the sign-in meanwhile, and completes sign-ins that
    /// return by URL. Needs a `MeroClient` in the environment. Spec: 70, section 13.1.
    public struct MeroRootView: View {
        @EnvironmentObject private var client: MeroClient
        private let form: LoginForm

        /// The cloud form, returning to a scheme of the app's own.
        public init(callbackScheme: String) { self.init(callback: .scheme(callbackScheme)) }

        /// The cloud form.
        public init(callback: CloudCallback) { form = .cloud(callback) }

        /// The node form.
        public init(defaultNodeURL: String = "http://localhost:4001") { form = .node(defaultURL: defaultNodeURL) }

        /// The sign-in or the app's page.
        public var body: some View {
            Group {
                if client.isAuthenticated {
                    HomeView()
                } else if client.state.phase == .restoring {
                    ProgressView()
                } else {
                    LoginView(form)
                }
            }
            .task { await client.restoreCloudSession() }
            .onOpenURL { url in
                Task { await client.handleEnrolmentCallback(url) }
            }
        }
    }
#endif
