// A back end that sends a one-time code with UPMC and takes its webhooks. Node 18, nothing else.
//
//     PUSH_APP_ID=com.example.bank PUSH_API_KEY=… PUSH_SERVER=https://push.example.com node backend.mjs send kim01 123456
//     PUSH_WEBHOOK_SECRET=whsec_… node backend.mjs listen 8090

import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

// A code that comes later than this is of no use.
const SECONDS = 60;

// Sends a code. Returns the message's number; throws when it was refused, or when the time is up.
async function send(person, code) {
  const body = JSON.stringify({
    appId: process.env.PUSH_APP_ID,
    audience: { clientUids: [person] },
    alert: { title: "Your code", body: `${code} is your code. Never tell it to anyone.` },
    lane: "urgent",
    expiresIn: `PT${SECONDS}S`,
  });
  // One key for one code: however often the request is made, one push is sent. Keep it with the transaction.
  const key = randomUUID();
  const deadline = Date.now() + SECONDS * 1000;
  for (let pause = 200; ; pause = Math.min(pause * 2, 5000)) {
    let wait = 0;
    let reason;
    const answer = await post("/v1/admin/messages", body, key).catch((error) => {
      // No connection, or none that lasted: perhaps it was sent. The key makes that harmless.
      reason = String(error.cause ?? error);
    });
    if (answer) {
      if (answer.ok) return (await answer.json()).seqno;
      const problem = await answer.json().catch(() => ({}));
      reason = `${answer.status}: ${problem.type}: ${problem.detail}`;
      // Too much at once, or the server cannot at the moment. All else stays wrong when it is asked again.
      if (answer.status !== 429 && answer.status < 500) throw new Error(reason);
      wait = Number(answer.headers.get("retry-after") ?? 0) * 1000;
    }
    wait = Math.max(wait, pause * (0.5 + Math.random() / 2));
    if (Date.now() + wait > deadline) throw new Error(`not sent within ${SECONDS} s: ${reason}`);
    await sleep(wait);
  }
}

function post(path, body, key) {
  return fetch(process.env.PUSH_SERVER + path, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${process.env.PUSH_API_KEY}`,
      "Content-Type": "application/json",
      "Idempotency-Key": key,
    },
    body,
    signal: AbortSignal.timeout(5000),
  });
}

// Whether UPMC has signed the request, and lately (standardwebhooks.com).
function isGenuine(headers, body, secret) {
  const { "webhook-id": id = "", "webhook-timestamp": at = "", "webhook-signature": given = "" } = headers;
  if (!/^\d+$/.test(at) || Math.abs(Date.now() / 1000 - Number(at)) > 300) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const wanted = Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64")}`);
  return given.split(" ").some((one) => {
    const signature = Buffer.from(one);
    return signature.length === wanted.length && timingSafeEqual(signature, wanted);
  });
}

// Events may come twice. Keep the ids of a day where all your servers see them.
const known = new Set();

async function receive(request, answer) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = Buffer.concat(parts);
  if (!isGenuine(request.headers, body, process.env.PUSH_WEBHOOK_SECRET)) return answer.writeHead(401).end();
  const event = JSON.parse(body);
  if (!known.has(event.id)) {
    // What takes longer than ten seconds, do after the answer.
    console.log(event.kind, JSON.stringify(event.data));
    known.add(event.id);
  }
  answer.writeHead(204).end();
}

const [command, ...words] = process.argv.slice(2);
if (command === "send" && words.length === 2) {
  console.log(await send(...words));
} else if (command === "listen" && words.length === 1) {
  const server = createServer((request, answer) => {
    receive(request, answer).catch(() => answer.writeHead(400).end());
  });
  server.listen(Number(words[0]), () => console.log("listening on", server.address().port));
} else {
  console.error("send PERSON CODE, or listen PORT");
  process.exit(2);
}
