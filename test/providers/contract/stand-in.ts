/** A stand-in for a provider's service, over real sockets: it answers as its fixture has it, or misbehaves as the test asks. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { CreateBehaviour, JobBehaviour, ProviderFixture, Reply, SeenRequest, StandInJob } from './fixture.ts';

/** What the next create meets. `loses`: the job is taken, and the connection breaks before the answer. */
export type NextCreate = CreateBehaviour | 'loses' | 'stalls' | 'talks nonsense' | 'redirects' | { reply: Reply };

export interface StandIn {
  /** For `base_url`. */
  baseUrl: string;
  origin: string;
  /** What the following creates meet; the last one again and again. */
  creates(...next: NextCreate[]): void;
  /** How the jobs taken from now on end. */
  jobsEnd(behaviour: JobBehaviour): void;
  /** The paid calls that came, taken or not. */
  paid: SeenRequest[];
  /** Everything else. */
  asked: SeenRequest[];
  jobs: Map<string, StandInJob>;
  /** How many files the jobs of images taken from now on have; 2 without. */
  images: number;
  /** Where results are, in the place of the stand-in's own addresses. */
  filesOf: ((id: string) => string[]) | undefined;
  /** How answers are compressed, as by a proxy that was not asked to; not at all without. */
  coding: keyof typeof compressors | undefined;
  /** The `Retry-After` of answers to creates; the fixture's own without. */
  retryAfter: string | undefined;
  /** Where `/redirect` leads. */
  redirectsTo: string;
  /** How many files were fetched. */
  downloads: number;
  /** The next so many calls that are no create are answered like this. */
  replyNext(count: number, reply: Reply): void;
  /** Resolves when so many creates have come, in all. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts it; `files` are what results consist of, by the kind of task. */
export async function openStandIn(fixture: ProviderFixture, files: { image: Buffer; video: Buffer }): Promise<StandIn> {
  const news = new EventEmitter().setMaxListeners(0);
  let script: NextCreate[] = ['takes'];
  let jobsEnd: JobBehaviour = 'succeeds';
  const scripted: Reply[] = [];
  const server = createServer((request, response) => {
    void serve(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const standIn: StandIn = {
    baseUrl: `${origin}${fixture.basePath}`,
    origin,
    creates: (...next) => {
      script = next;
    },
    jobsEnd: (behaviour) => {
      jobsEnd = behaviour;
    },
    paid: [],
    asked: [],
    jobs: new Map(),
    images: 2,
    filesOf: undefined,
    coding: undefined,
    retryAfter: undefined,
    redirectsTo: '',
    downloads: 0,
    replyNext: (count, reply) => scripted.push(...Array.from({ length: count }, () => reply)),
    received: async (count) => {
      while (standIn.paid.length < count) await once(news, 'create');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return standIn;

  function write(response: ServerResponse, reply: Reply): void {
    writeReply(response, reply, standIn.coding);
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = incoming.url ?? '';
    if (path === '/redirect') {
      write(response, { status: 302, headers: { location: standIn.redirectsTo } });
      return;
    }
    if (path.startsWith('/media/')) {
      standIn.downloads++;
      response.end(path.includes('video') ? files.video : files.image);
      return;
    }
    const bytes = await buffer(incoming);
    const text = bytes.toString();
    const { method = '', headers } = incoming;
    const raw: SeenRequest = { method, path, headers, bytes, text, json: jsonOf(text), atMs: performance.now() };
    const seen = raw.json === undefined ? { ...raw, json: await fixture.formOf?.(raw) } : raw;
    if (!fixture.isCreate(seen)) {
      standIn.asked.push(seen);
      write(response, scripted.shift() ?? fixture.asked(seen, standIn) ?? { status: 404, json: {} });
      return;
    }
    standIn.paid.push(seen);
    const next = script.length > 1 ? script.shift() : script[0];
    news.emit('create');
    if (next === 'stalls') return;
    if (next === 'talks nonsense') {
      write(response, { text: '<html>Welcome to nginx!</html>' });
      return;
    }
    if (next === 'redirects') {
      write(response, { status: 307, headers: { location: `${origin}/elsewhere` } });
      return;
    }
    if (typeof next === 'object') {
      write(response, next.reply);
      return;
    }
    const behaviour = next === 'loses' || next === undefined ? 'takes' : next;
    const job = jobOfKey(headers['idempotency-key']) ?? jobOf(seen);
    const reply = fixture.created(seen, job, behaviour);
    if (behaviour === 'takes') standIn.jobs.set(job.id, job);
    const { retryAfter } = standIn;
    const wait = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    if (next === 'loses') response.destroy();
    else write(response, { ...reply, headers: { ...reply.headers, ...wait } });
  }

  /** A key that was seen before names the job that was taken with it. */
  function jobOfKey(key: string | string[] | undefined): StandInJob | undefined {
    return [...standIn.jobs.values()].find(
      ({ request }) => key !== undefined && request.headers['idempotency-key'] === key,
    );
  }

  function jobOf(request: SeenRequest): StandInJob {
    const id = `job-${standIn.paid.length}`;
    const kind = wantsVideo(request) ? 'video' : 'image';
    const results = Array.from(
      { length: kind === 'video' ? 1 : standIn.images },
      (_, at) => `${origin}/media/${kind}/${id}/${at}`,
    );
    const common = { id, behaviour: jobsEnd, polls: 0, isCancelled: false, request };
    return { ...common, files: standIn.filesOf?.(id) ?? results, content: files[kind] };
  }

  /** The suite's model names say what they make. */
  function wantsVideo({ text: body, path }: SeenRequest): boolean {
    return fixture.models.some(({ kind, model }) => {
      const name = model.split(':').at(-1) ?? model;
      return kind !== 'image' && `${path}${body}`.includes(name);
    });
  }
}

const compressors = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };

function writeReply(
  response: ServerResponse,
  { status = 200, headers = {}, json, text: plain }: Reply,
  coding?: keyof typeof compressors,
): void {
  const body = plain ?? JSON.stringify(json ?? {});
  const type = plain === undefined ? 'application/json' : 'text/html';
  response.writeHead(status, {
    ...{ 'content-type': type, 'x-request-id': 'upstream-request-1' },
    ...(coding && { 'content-encoding': coding }),
    ...headers,
  });
  response.end(coding === undefined ? body : compressors[coding](body));
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
