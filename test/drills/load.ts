/** Callers who order images, videos and talks, make calls of all kinds, and fetch what they got, for as long as a drill goes on. */
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { oneOf } from '../support/random.ts';
import { Caller, type CallerOptions } from './caller.ts';
import { type CallKind, callKindNames, callKinds, newCallCounts } from './calls.ts';
import type { Manner } from './provider.ts';
import type { CallStep } from './steps.ts';

export interface LoadOptions extends Omit<CallerOptions, 'signal'> {
  callers: number;
  /** Where webhooks are to be delivered. */
  webhookUrl: string;
  uploads: { audio: Buffer; video: Buffer; image: Buffer };
  /** How often a provider misbehaves, from 0 to 1. */
  misbehaviour: number;
}

/** A task that was ordered, and what its caller knows of it. */
export interface Order {
  id: string;
  manner: Manner;
  hasWebhook: boolean;
  /** Where its record is. */
  address: string;
}

/** Begins the request id of each order, which all of its tries have: two tasks with the same one were ordered once. */
export const orderMark = 'drill-order-';

/** How many callers name an Idempotency-Key; the others repeat what an answer asks them to repeat, and nothing else. */
const shareWithKey = 0.6;
const thinkMs = { least: 300, most: 1_200 };
/** What a model takes to answer. */
const answerMsMax = 2_000;
const otherCalls = callKindNames.filter((kind) => kind !== 'chat');
const images = '/v1/images/generations';
const videos = '/v1/video/generations';
const talks = '/v1/svctalk/generate';

export class Load {
  readonly orders = new Map<string, Order>();
  /** Tasks that their callers asked for and did not find. */
  readonly notFound = new Set<string>();
  /** Answers that nothing explains. */
  readonly wrong: string[] = [];
  readonly counts = { downloads: 0, unanswered: 0 };
  /** How many of each kind there were, and how many of them had no whole answer. */
  readonly calls = newCallCounts();
  /** How many callers are in the middle of what. */
  readonly underWay = new Map<CallStep, number>();
  readonly #options: LoadOptions;
  readonly #caller: Caller;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>[];
  readonly #toFetch: Order[] = [];

  /** Begins at once. */
  constructor(options: LoadOptions) {
    this.#options = options;
    setMaxListeners(0, this.#stopping.signal); // one a caller who thinks
    this.#caller = new Caller({ ...options, signal: this.#stopping.signal });
    this.#running = Array.from({ length: options.callers }, () => this.#live());
  }

  /** Creations without an Idempotency-Key that were sent again because their answer said so. */
  get askedToRepeat(): number {
    return this.#caller.askedToRepeat;
  }

  /** Resolves when what was begun is answered, or given up. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #live(): Promise<void> {
    const { random } = this.#options;
    const { signal } = this.#stopping;
    const acts = [
      ...[() => this.#image(), () => this.#image(), () => this.#image(), () => this.#simulated()],
      ...[() => this.#video(), () => this.#video(), () => this.#video(), () => this.#openAiVideo()],
      ...[() => this.#talk(), () => this.#talk(), () => this.#edit()],
      ...[() => this.#call('chat'), () => this.#call('chat'), () => this.#fetch(), () => this.#fetch()],
      ...otherCalls.map((kind) => () => this.#call(kind)),
    ];
    while (!signal.aborted) {
      await oneOf(random, acts)();
      await pause(thinkMs.least + random() * (thinkMs.most - thinkMs.least), undefined, { signal }).catch(() => {
        // the end of the drill
      });
    }
  }

  #image(): Promise<void> {
    return this.#order(images, 'plain', { model: 'drill-image', prompt: 'A toll gate', size: '1024x1024' });
  }

  #simulated(): Promise<void> {
    return this.#order(images, 'plain', { model: 'sim-image', prompt: 'A gate [sim:delay=500ms]', size: '1024x1024' });
  }

  #video(): Promise<void> {
    const { random, misbehaviour } = this.#options;
    const manner = random() < misbehaviour ? oneOf(random, ['late', 'twice', 'never', 'endless'] as const) : 'plain';
    // What is never done must end by its deadline, which is short for this one.
    const model = manner === 'never' || manner === 'endless' ? 'drill-hasty' : 'drill-video';
    return this.#order(videos, manner, { model, prompt: `Cars pass [drill:${manner}]`, duration: 5, ratio: '16:9' });
  }

  /** The same task in another form, which is answered at once. */
  #openAiVideo(): Promise<void> {
    const wanted = { model: 'drill-video', prompt: 'Cars pass [drill:plain]', seconds: '5', size: '1280x720' };
    return this.#order('/v1/videos', 'plain', wanted, videos);
  }

  async #order(path: string, manner: Manner, wanted: Record<string, unknown>, records = path): Promise<void> {
    const hasWebhook = this.#options.random() < 0.7;
    const body = { ...wanted, ...(hasWebhook && { webhook_url: this.#options.webhookUrl }) };
    const waits = this.#options.random() < 0.3;
    const init = { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    const send = () => this.#create(path, init, { manner, hasWebhook, records }, waits ? 'wait=15' : 'wait=0');
    await (waits ? this.#during('caller waiting', send) : send());
  }

  async #talk(): Promise<void> {
    const { audio, video } = this.#options.uploads;
    const form = new FormData();
    form.set('model', 'drill-talk');
    form.set('webhook_url', this.#options.webhookUrl);
    form.set('audio', new Blob([new Uint8Array(audio)]), 'voice.wav');
    form.set('video', new Blob([new Uint8Array(video)]), 'footage.mp4');
    await this.#during('upload under way', () =>
      this.#create(talks, { body: form }, { manner: 'plain', hasWebhook: true, records: talks }, 'wait=0'),
    );
  }

  async #edit(): Promise<void> {
    const { image } = this.#options.uploads;
    const form = new FormData();
    for (const [name, text] of [
      ['model', 'sim-image'],
      ['prompt', 'Fog'],
      ['size', '1024x1024'],
    ] as const)
      form.set(name, text);
    for (const name of ['image', 'mask']) form.set(name, new Blob([new Uint8Array(image)]), `${name}.png`);
    const asked = { manner: 'plain', hasWebhook: false, records: images } as const;
    await this.#during('upload under way', () => this.#create('/v1/images/edits', { body: form }, asked, 'wait=0'));
  }

  /** Callers with a key repeat what was not answered; the others can't know whether they have a task then. */
  async #create(
    path: string,
    { body, headers = {} }: { body: string | FormData; headers?: Record<string, string> },
    { records, ...asked }: Pick<Order, 'manner' | 'hasWebhook'> & { records: string },
    prefer: string,
  ): Promise<void> {
    const hasKey = this.#options.random() < shareWithKey;
    const order = `${orderMark}${randomUUID()}`;
    const more = { Prefer: prefer, 'X-Request-Id': order, ...(hasKey && { 'Idempotency-Key': randomUUID() }) };
    const answer = await this.#caller.ask(path, { method: 'POST', body, headers: { ...headers, ...more } }, hasKey);
    if (answer === undefined) {
      this.counts.unanswered++;
      return;
    }
    const { id } = answer.body;
    if (typeof id !== 'string') {
      this.wrong.push(`POST ${path} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
      return;
    }
    const made = { ...asked, id, address: `${records}/${id}` };
    this.orders.set(id, made);
    if (asked.manner === 'plain') this.#toFetch.push(made);
  }

  /** What breaks off a call is its gateway's death; its hold is for the sweep. */
  async #call(kind: CallKind): Promise<void> {
    const { random, uploads } = this.#options;
    const { path, step, init, isWhole } = callKinds[kind](Math.round(random() * answerMsMax), uploads);
    await this.#during(step, async () => {
      const answer = await this.#caller.once(path, { method: 'POST', ...init });
      const text = await answer?.text().catch(() => '');
      const count = this.calls[kind];
      count.made++;
      if (answer?.status === 200 && isWhole(text ?? '')) return;
      count.brokenOff++;
      if (answer !== undefined && answer.status >= 400 && answer.status < 500)
        this.wrong.push(`POST ${path} was answered ${answer.status} ${text}`);
    });
  }

  /** Fetches what is ready of an order: the one download of a talk, or what a link leads to. */
  async #fetch(): Promise<void> {
    const order = this.#toFetch.shift();
    if (order === undefined) return;
    const done = await this.#during('download under way', () => this.#fetched(order));
    if (done) this.counts.downloads++;
    else this.#toFetch.push(order);
  }

  async #fetched({ address, id }: Order): Promise<boolean> {
    const answer = await this.#caller.once(address);
    if (answer === undefined || answer.status >= 500) return false;
    if (answer.headers.get('content-type') === 'video/mp4') return isRead(answer);
    const body = JSON.stringify(await answer.json().catch(() => ({})));
    if (answer.status === 409) return false; // another download of it has been broken off, and is still claimed
    if (answer.status === 404) {
      // A talk may have been fetched, and the end of that been lost.
      if (!id.startsWith('avt_')) this.notFound.add(id);
      return true;
    }
    if (answer.status !== 200) {
      this.wrong.push(`GET ${address} was answered ${answer.status} ${body}`);
      return true;
    }
    const [link] = /http:[^"]+\/files\/[^"]+/.exec(body) ?? [];
    if (link === undefined) return /"status":"(failed|error)"/.test(body);
    const { pathname, search } = new URL(link);
    const file = await this.#caller.once(`${pathname}${search}`);
    if (file !== undefined && file.status >= 400 && file.status < 500)
      this.wrong.push(`a link of ${id} was answered ${file.status}`);
    return file?.status === 200 && isRead(file);
  }

  async #during<T>(step: CallStep, act: () => Promise<T>): Promise<T> {
    this.underWay.set(step, (this.underWay.get(step) ?? 0) + 1);
    try {
      return await act();
    } finally {
      this.underWay.set(step, (this.underWay.get(step) ?? 1) - 1);
    }
  }
}

const isRead = (answer: Response): Promise<boolean> =>
  answer.arrayBuffer().then(
    () => true,
    () => false,
  );
