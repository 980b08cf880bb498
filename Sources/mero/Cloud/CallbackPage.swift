import Foundation
import MeroDevNode

/// The page that the wallet returns to. What the wallet brings stands in the fragment, which browsers keep to themselves:
/// the page hands it over, and takes it out of the address so that it stays in no history.
enum CallbackPage {
    static func page(nonce: String) -> DevHttpResponse {
        let html = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>mero</title></head>
            <body>
            <p id="said">One moment.</p>
            <noscript><p>This page needs JavaScript to hand over what the wallet brought.</p></noscript>
            <script nonce="\(nonce)">
            const said = document.getElementById("said");
            const answer = location.hash.slice(1);
            history.replaceState(null, "", location.pathname);
            if (answer === "") {
              said.textContent = "The wallet brought nothing back. Run mero cloud login again.";
            } else {
              fetch(location.pathname, {
                method: "POST", body: answer, credentials: "omit",
                headers: { "Content-Type": "application/x-www-form-urlencoded" }
              })
                .then((reply) => reply.text())
                .then((text) => { said.textContent = text; })
                .catch(() => { said.textContent = "mero does not wait for this any more. Look into its terminal."; });
            }
            </script>
            </body></html>

            """
        return response(
            200, html, type: "text/html; charset=utf-8",
            policy: "default-src 'none'; script-src 'nonce-\(nonce)'; connect-src 'self'; base-uri 'none'; "
                + "form-action 'none'; frame-ancestors 'none'")
    }

    /// A file that leads to a page of this command's, whose address needs no escaping.
    static func leading(to page: String) -> String {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>mero</title>
        <meta http-equiv="refresh" content="0; url=\(page)"></head>
        <body><p><a href="\(page)">Go on to the wallet</a></p></body></html>

        """
    }

    static func text(_ status: Int, _ text: String) -> DevHttpResponse {
        response(status, text + "\n", type: "text/plain; charset=utf-8", policy: "default-src 'none'")
    }

    static func redirect(to page: URL) -> DevHttpResponse {
        var answer = text(303, "The wallet is at another address.")
        answer.headers.append(("Location", page.absoluteString))
        return answer
    }

    private static func response(_ status: Int, _ body: String, type: String, policy: String) -> DevHttpResponse {
        DevHttpResponse(
            status: status,
            headers: [
                ("Content-Type", type), ("Content-Security-Policy", policy), ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"), ("X-Content-Type-Options", "nosniff"), ("Connection", "close"),
            ], body: .bytes(Data(body.utf8)))
    }
}
