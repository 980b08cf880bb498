// The same events through the `fetch` reader of Node.js, its text taken apart by the rules of the event-stream format (any
// kind of line end, comments, fields, several lines of data) and parsed by JSON.parse: node events.mjs BASE COUNT PASSES
// Reads PASSES streams, of which the first is not counted unless it is the only one. Prints the seconds from the first
// event to the last, and for events with a time of sending the nanoseconds on the way.
const [base, count, passes] = process.argv.slice(2);
const wanted = Number(count);

// Calls `dispatch` with the data of each event in the pieces of text that it is given.
function eventStream(dispatch) {
    let text = "";
    let data = "";
    let hasData = false;
    let id = "";
    let name = "";
    const line = (line) => {
        if (line === "") {
            if (hasData) dispatch({ data, id, name });
            data = "";
            hasData = false;
            name = "";
            return;
        }
        const colon = line.indexOf(":");
        if (colon === 0) return;
        const field = colon < 0 ? line : line.slice(0, colon);
        const start = colon >= 0 && line[colon + 1] === " " ? colon + 2 : colon + 1;
        const value = colon < 0 ? "" : line.slice(start);
        if (field === "data") {
            data = hasData ? `${data}\n${value}` : value;
            hasData = true;
        } else if (field === "id") {
            if (!value.includes("\0")) id = value;
        } else if (field === "event") {
            name = value;
        }
    };
    return (piece) => {
        text += piece;
        const lines = text.split(/\r\n|\n|\r/);
        // A CR at the end may be half of a line end.
        text = text.endsWith("\r") ? `${lines.splice(-2)[0]}\r` : lines.pop();
        for (const one of lines) line(one);
    };
}

async function read() {
    const response = await fetch(`${base}/sse`, { headers: { Accept: "text/event-stream" } });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const delays = [];
    let seen = 0;
    let start = 0;
    let seconds = 0;
    let session;
    const feed = eventStream(({ data }) => {
        const event = JSON.parse(data);
        if (event.type === "connect") session = event.session_id;
        if (event.result === undefined || seen === wanted) return;
        if (seen === 0) start = performance.now();
        seen += 1;
        const time = event.result.data.t;
        if (time > 0) delays.push(Number(process.hrtime.bigint() - BigInt(time)));
        if (seen === wanted) seconds = (performance.now() - start) / 1000;
    });
    while (seen < wanted) {
        const { done, value } = await reader.read();
        if (done) throw new Error("the stream ended early");
        feed(decoder.decode(value, { stream: true }));
        if (session === undefined) continue;
        const answer = await fetch(`${base}/sse/subscription`, {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ id: session, method: "subscribe", params: { contextIds: [] } }),
        });
        await answer.arrayBuffer();
        session = undefined;
    }
    await reader.cancel();
    return { seconds, delays };
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
