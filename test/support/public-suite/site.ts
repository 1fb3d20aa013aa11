/** A gateway known by its addresses alone, and its callers: what the public suite is run against. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { answerOf, type Answer } from '../gateway.ts';
import { until } from '../process.ts';

export interface Site {
  /** Where callers reach it: a balancer, before several APIs. */
  url: string;
  /** The APIs themselves. */
  apis: readonly string[];
  /** An admin key of an account with some tens of CNY. */
  key: string;
  /** The sign-in of its owner, who is the operator. */
  owner: { email: string; password: string };
}

export class Caller {
  readonly url: string;
  readonly key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.key = key;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${this.key}`);
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const json = body !== undefined && { body: JSON.stringify(body) };
    return answerOf(
      await this.fetch(path, { method, headers: { 'Content-Type': 'application/json', ...headers }, ...json }),
    );
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }

  /** The record of an image or a video task once it is final. */
  finished(path: string): Promise<Record<string, unknown>> {
    return until(`the end of ${path}`, async () => {
      const { status, body } = await this.get(path);
      assert.equal(status, 200, JSON.stringify(body));
      return body['status'] === 'processing' ? undefined : body;
    });
  }

  /** The same caller at another address. */
  at(url: string): Caller {
    return new Caller(url, this.key);
  }
}

export const admin = ({ url, key }: Site): Caller => new Caller(url, key);

/** A caller with a new key of the account. */
export async function newCaller(site: Site, limits: Record<string, unknown> = {}): Promise<Caller> {
  const { status, body } = await admin(site).post('/v1/account/keys', {
    name: randomUUID(),
    level: 'standard',
    ...limits,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return new Caller(site.url, String(body['key']));
}

/** What a list holds. */
export const itemsOf = ({ body }: Answer): Answer['body'][] => body['data'] as Answer['body'][];

/** Fetches a result by its link as it stands, without a key. */
export async function downloaded(link: unknown): Promise<Buffer> {
  const answer = await fetch(String(link));
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.equal(answer.status, 200, `${String(link)}: ${bytes.subarray(0, 200).toString()}`);
  return bytes;
}
