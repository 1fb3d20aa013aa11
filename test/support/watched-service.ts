/** A stand-in behind a door: a watcher is called at each step of a job, and may withhold the answer for ever. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { ProviderFixture } from '../providers/contract/fixture.ts';
import type { StandIn } from '../providers/contract/stand-in.ts';

/** In the order in which a job comes to them. */
export const jobSteps = [
  'the create has arrived',
  'the create was answered',
  'the first poll has arrived',
  'the second poll has arrived',
  'half of the result was sent',
  'all of the result was sent',
] as const;
export type JobStep = (typeof jobSteps)[number];

export interface WatchedService {
  /** For `base_url`. */
  baseUrl: string;
  close(): Promise<void>;
}

/** Opens the door to a stand-in. `hold` is asked at each step; steps that are answers can't be held any more. */
export async function openWatched(
  fixture: ProviderFixture,
  standIn: StandIn,
  hold: (step: JobStep, jobId: string) => boolean,
): Promise<WatchedService> {
  const polls = new Map<string, number>();
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch(() => response.destroy()); // the client was killed while it waited
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    baseUrl: `${origin}${fixture.basePath}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming;
    const sent = await buffer(incoming);
    const answer = await passedOn(incoming, sent);
    const text = sent.toString();
    const jobs = [...standIn.jobs.values()];
    if (path.startsWith('/media/')) {
      const job = jobs.find(({ id }) => path.includes(`/${id}/`));
      sendFile(response, answer, job?.id ?? 'none');
    } else if (fixture.isCreate({ method, path, headers, bytes: sent, text, json: jsonOf(text), atMs: 0 })) {
      const id = jobs.find((job) => job.request.text === text)?.id ?? 'none';
      if (hold('the create has arrived', id)) return;
      response.once('finish', () => hold('the create was answered', id));
      sendText(response, answer);
    } else {
      const job = jobs.find(({ id }) => new RegExp(`\\b${id}\\b`).test(`${path} ${text}`));
      if (job !== undefined) {
        const count = (polls.get(job.id) ?? 0) + 1;
        polls.set(job.id, count);
        if (count === 1 && hold('the first poll has arrived', job.id)) return;
        if (count === 2 && hold('the second poll has arrived', job.id)) return;
      }
      sendText(response, answer);
    }
  }

  function sendFile(response: ServerResponse, { body }: Answer, id: string): void {
    response.writeHead(200, { 'content-length': body.length });
    if (hold('half of the result was sent', id)) {
      response.write(body.subarray(0, body.length / 2));
    } else {
      response.once('finish', () => hold('all of the result was sent', id));
      response.end(body);
    }
  }

  /** Results are downloaded through the door, too. */
  function sendText(response: ServerResponse, { status, headers, body }: Answer): void {
    const kept = Object.entries(headers).filter(([name]) => !['content-length', 'transfer-encoding'].includes(name));
    response.writeHead(status, Object.fromEntries(kept));
    response.end(body.toString().replaceAll(standIn.origin, origin));
  }

  async function passedOn({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    const { hostname, port } = new URL(standIn.origin);
    const call = request({ hostname, port, path: url, method, headers, agent: false });
    call.end(body);
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await buffer(answer) };
  }
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
