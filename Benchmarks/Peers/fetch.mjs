// The same calls through the `fetch` of Node.js: node fetch.mjs URL BODY TOKEN IN_FLIGHT SECONDS
const [url, body, token, inFlight, seconds] = process.argv.slice(2);
const headers = {
    "Content-Type": "application/json",
    Accept: "application/json",
    Authorization: `Bearer ${token}`,
};

async function call() {
    const response = await fetch(url, { method: "POST", headers, body });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    const answer = await response.json();
    if (typeof answer.result?.output !== "string") throw new Error("not the expected answer");
}

async function run(milliseconds) {
    const deadline = performance.now() + milliseconds;
    let calls = 0;
    async function loop() {
        while (performance.now() < deadline) {
            await call();
            calls += 1;
        }
    }
    await Promise.all(Array.from({ length: Number(inFlight) }, loop));
    return calls;
}

// The compiler of a JavaScript engine needs some hundred calls before it is at its best.
await run(500);
const start = performance.now();
const calls = await run(Number(seconds) * 1000);
console.log(JSON.stringify({ calls, seconds: (performance.now() - start) / 1000 }));
