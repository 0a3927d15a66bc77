/// Calls of the admin API, with the session's cookie and CSRF token. There is no other way to the server.

import { fieldLabel, knows, language, t, wordsLoaded } from "./words.js";

/// Why the server did not do something (RFC 9457), or that it could not be reached.
export class Problem extends Error {
  constructor(status, body) {
    const errors = body.errors ?? [];
    // The server's detail names fields by JSON pointers; people know them by their labels.
    super(errors.length
      ? errors.map((one) => (one.pointer.length > 1 ? `${fieldLabel(one.pointer)}: ${one.detail}` : one.detail)).join(" · ")
      : body.detail ?? body.title ?? "");
    this.status = status;
    this.code = body.type ?? "";
    this.errors = errors;
    this.requestID = body.requestId;
  }

  /// What kind of problem it is, in the reader's language.
  get title() {
    const key = `problem.${this.code}`;
    return knows(key) ? t(key) : t("problem.other");
  }
}

let csrf = null;
/// Called when the session has ended or is too old for a request, and when a change was refused, perhaps because its token is
/// of a former session. Resolves to true once the call may be made again.
let [signedOut, refused] = [async () => false, async () => false];

export function useSession(token, whenSignedOut, whenRefused) {
  csrf = token;
  if (whenSignedOut) [signedOut, refused] = [whenSignedOut, whenRefused];
}

/// Calls and returns what the answer holds: JSON, or null when it is empty.
/// - body: JSON, unless it is a Blob, which goes out as it is.
export async function call(method, path, body, { signal, headers = {}, quiet = false } = {}) {
  const options = { method, signal, headers: { Accept: "application/json", "Accept-Language": language, ...headers }, credentials: "same-origin", cache: "no-store" };
  const token = csrf;
  if (csrf && method !== "GET") options.headers["X-CSRF-Token"] = csrf;
  if (body instanceof Blob) {
    options.body = body;
    options.headers["Content-Type"] ??= body.type || "application/octet-stream";
  } else if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(`/v1/admin${path}`, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { type: "unreachable", detail: t("problem.unreachable.detail") });
  }
  if (answer.ok) {
    if (answer.status === 204) return null;
    const text = await answer.text();
    return text ? JSON.parse(text) : null;
  }
  // The first request goes out before the words are there.
  await wordsLoaded;
  const problem = new Problem(answer.status, await answer.json().catch(() => ({})));
  const goesOn = answer.status === 401 ? signedOut : answer.status === 403 && method !== "GET" ? refused : null;
  if (goesOn && !quiet && await goesOn(problem, token)) return call(method, path, body, { signal, headers, quiet: answer.status === 401 });
  throw problem;
}

export const get = (path, options) => call("GET", path, undefined, options);
export const post = (path, body = {}, options) => call("POST", path, body, options);
export const patch = (path, body, options) => call("PATCH", path, body, options);
export const putTo = (path, body, options) => call("PUT", path, body, options);
export const remove = (path, options) => call("DELETE", path, undefined, options);

/// A query string of those items that have a value, with its question mark.
export function query(items) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(items)) {
    if (value !== undefined && value !== null && value !== "") parts.set(name, value);
  }
  const text = parts.toString();
  return text ? `?${text}` : "";
}

/// Everything of a list that is known to be short, up to a thousand items.
export async function all(path, items = {}, options) {
  const found = [];
  let cursor;
  do {
    const page = await get(path + query({ limit: 100, ...items, cursor }), options);
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor && found.length < 1000);
  return found;
}

/// 128 random bits, for an Idempotency-Key: the same press of a button never sends twice.
export function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
