// The same events through the `fetch` reader of Node.js: node events.mjs BASE COUNT PASSES
// Reads PASSES streams, of which the first is not counted unless it is the only one. Prints the seconds from the first
// event to the last, and for events with a time of sending the nanoseconds on the way.
const [base, count, passes] = process.argv.slice(2);
const wanted = Number(count);

async function read() {
    const response = await fetch(`${base}/sse`, { headers: { Accept: "text/event-stream" } });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const delays = [];
    let text = "";
    let seen = 0;
    let start = 0;
    while (true) {
        const { done, value } = await reader.read();
        if (done) throw new Error("the stream ended early");
        text += decoder.decode(value, { stream: true });
        let from = 0;
        let end;
        while ((end = text.indexOf("\n\n", from)) >= 0) {
            const at = text.indexOf("data: ", from);
            const event = JSON.parse(text.slice(at + 6, end));
            from = end + 2;
            if (event.type === "connect") {
                const answer = await fetch(`${base}/sse/subscription`, {
                    method: "POST",
                    headers: { "Content-Type": "application/json" },
                    body: JSON.stringify({
                        id: event.session_id,
                        method: "subscribe",
                        params: { contextIds: [] },
                    }),
                });
                await answer.arrayBuffer();
                continue;
            }
            if (event.result === undefined) continue;
            if (seen === 0) start = performance.now();
            seen += 1;
            const time = event.result.data.t;
            if (time > 0) delays.push(Number(process.hrtime.bigint() - BigInt(time)));
            if (seen === wanted) {
                const seconds = (performance.now() - start) / 1000;
                await reader.cancel();
                return { seconds, delays };
            }
        }
        text = text.slice(from);
    }
}

const result = { seconds: 0, delays: [] };
for (let pass = 0; pass < Number(passes); pass += 1) {
    const { seconds, delays } = await read();
    if (pass === 0 && Number(passes) > 1) continue;
    result.seconds += seconds;
    result.delays.push(...delays);
}
console.log(JSON.stringify(result));
process.exit(0);
