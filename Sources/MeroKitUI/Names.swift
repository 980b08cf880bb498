import MeroKit

// Published as names of this module; the types live where the platform-neutral part of an app's sign-in does.

/// Shows a page to the person and tells where it returned to.
public typealias WebAuthenticating = MeroKit.WebAuthenticating
/// Where the wallet's page returns to.
public typealias CloudCallback = MeroKit.CloudCallback
/// The person closed the page.
public typealias WebAuthenticationCancelled = MeroKit.WebAuthenticationCancelled
