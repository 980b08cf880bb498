#if canImport(SwiftUI) && canImport(Combine)
    import MeroKit
    import SwiftUI

    /// How a person signs in.
    enum LoginForm: Equatable {
        /// As an account, by the wallet.
        case cloud(CloudCallback)
        /// To a node, by user name and password.
        case node(defaultURL: String)
    }

    /// Signs a person in: as an account with the callback form, to a node with the other.
    ///
    /// Needs a `MeroClient` in the environment. Spec: 70, section 13.1.
    public struct LoginView: View {
        @EnvironmentObject private var client: MeroClient
        private let form: LoginForm
        @State private var nodeURL: String
        @State private var username = ""
        @State private var password = ""

        /// The cloud form, returning to a scheme of the app's own.
        public init(callbackScheme: String) { self.init(callback: .scheme(callbackScheme)) }

        /// The cloud form.
        public init(callback: CloudCallback) { self.init(.cloud(callback)) }

        /// The node form.
        public init(defaultNodeURL: String = "http://localhost:4001") { self.init(.node(defaultURL: defaultNodeURL)) }

        init(_ form: LoginForm) {
            self.form = form
            if case .node(let url) = form {
                _nodeURL = State(initialValue: url)
            } else {
                _nodeURL = State(initialValue: "")
            }
        }

        /// The form.
        public var body: some View {
            VStack(spacing: 16) {
                Text("Sign in to Calimero").font(.title2).accessibilityIdentifier("loginTitle")
                switch form {
                case .cloud(let callback): cloudPanel(callback)
                case .node: nodePanel
                }
                if client.isLoading { ProgressView() }
                if let message = client.errorMessage {
                    Text(message).foregroundColor(.red).multilineTextAlignment(.center)
                        .accessibilityIdentifier("loginError")
                }
            }
            .padding()
            .disabled(client.isLoading)
        }

        private func cloudPanel(_ callback: CloudCallback) -> some View {
            VStack {
                Button("Continue with Calimero") {
                    Task { await client.signInWithCloud(callback: callback) }
                }
                .accessibilityIdentifier("cloudSignInButton")
            }
            .accessibilityElement(children: .contain)
            .accessibilityIdentifier("loginButton")
        }

        private var nodePanel: some View {
            VStack(spacing: 12) {
                field("Node URL", text: $nodeURL).accessibilityIdentifier("nodeURLField")
                field("Username", text: $username).accessibilityIdentifier("usernameField")
                SecureField("Password", text: $password).accessibilityIdentifier("passwordField")
                Button("Sign in") {
                    Task { await client.login(nodeURL: nodeURL, username: username, password: password) }
                }
                .accessibilityIdentifier("loginButton")
            }
        }

        private func field(_ title: String, text: Binding<String>) -> some View {
            #if os(iOS) || os(tvOS)
                return TextField(title, text: text).autocapitalization(.none).disableAutocorrection(true)
            #else
                return TextField(title, text: text).disableAutocorrection(true)
            #endif
        }
    }
#endif
