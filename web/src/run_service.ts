// Requests to the service, as a browser makes them.
import type { RunData } from './run_data';
import { Gone, type Source, type Surroundings } from './run_feed';
import { refusals } from './run_words';

export class Refused extends Error {
  constructor(readonly status: number, readonly sentences: string[]) {
    super(sentences.join('; '));
  }
}

/** The reply's JSON, or null if there is none. Throws Refused, or Error if there is no answer. */
export async function request(method: string, url: string, body?: unknown): Promise<unknown> {
  let reply: Response;
  try {
    reply = await fetch(url, {
      method, cache: 'no-store',
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  } catch {
    throw new Error('the service does not answer');
  }
  const text = await reply.text();
  if (!reply.ok) throw new Refused(reply.status, refusals(reply.status, text));
  return text ? (JSON.parse(text) as unknown) : null;
}

/** `mayEnd`: a missing run has ended, as a fork may; otherwise the page waits for the service. */
export function browserSurroundings(mayEnd: boolean): Surroundings {
  return {
    source: (url) => new EventSource(url) as unknown as Source,
    page: async (url) => {
      try {
        return (await request('GET', url)) as RunData;
      } catch (error) {
        if (mayEnd && error instanceof Refused && error.status === 404) throw new Gone(error.message);
        throw error;
      }
    },
    turns: async (url) => ((await request('GET', url)) as { turns: [] }).turns,
    now: () => performance.now() / 1000,
    later: (seconds, action) => void window.setTimeout(action, seconds * 1000),
  };
}
