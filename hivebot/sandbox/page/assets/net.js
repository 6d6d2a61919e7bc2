// How does the page talk to the workspace? To its own origin only.

export class Refused extends Error {
  constructor(error, detail) {
    super(detail ? `${error}: ${detail}` : error);
    this.reason = error;
  }
}

const SENTENCES = {
  not_in_channel: "This person is not in that channel.",
  operation_timeout: "The bot took longer than three seconds to answer; Slack would say so too.",
  dispatch_failed: "The bot could not be reached, or does not know this action.",
  input_required: "Fill in every field that is not optional.",
  already_reacted: "That reaction is there already.",
  is_archived: "That channel is archived.",
  no_such_message: "That message is gone.",
  not_their_message: "That is somebody else's message.",
  no_such_thread: "That thread is gone.",
};

export function sentence(error) {
  if (error instanceof Refused) return SENTENCES[error.reason] ?? `It was refused: ${error.message}`;
  return "The sandbox does not answer. Is it still running?";
}

async function read(response) {
  const body = await response.json();
  if (!body.ok) throw new Refused(body.error ?? "no_answer", body.detail ?? "");
  return body;
}

export async function look(path, query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  return read(await fetch(`${path}?${new URLSearchParams(given)}`));
}

export async function act(name, fields) {
  return read(await fetch(`/sandbox/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fields),
  }));
}

// Calls `changed` after each change and `alive` when the line comes or goes; the browser connects again.
export function follow(changed, alive) {
  const source = new EventSource("/page/live");
  source.onopen = () => alive(true);
  source.onerror = () => alive(false);
  source.onmessage = () => { alive(true); changed(); };
}
