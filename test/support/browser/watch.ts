/** What the pages of one profile do that they must not: collected while a test runs, reported at its end. */
import assert from 'node:assert/strict';
import type { BrowserContext, Page, Request } from 'playwright-core';

export interface Expectations {
  /** Answers of 4xx and 5xx that the test provokes: a status from anywhere, or from one path. */
  expectAnswers?: readonly ExpectedAnswer[];
  /** Whether connections may break, as when the test stops the server, or the browser refuses another origin's answer. */
  expectBrokenRequests?: boolean;
  /** Other origins that the pages may ask. */
  otherOrigins?: readonly string[];
}

export type ExpectedAnswer = number | { status: number; path: string };

export interface Watch {
  /** All that the console said and all that went wrong, a line each. */
  log: readonly string[];
  /** Fails with a list of what was wrong; waits until the pages have reported all. */
  assertClean(): Promise<void>;
}

/**
 * The only way to others is a proxy that is not there. Requests that are intercepted would each ask this process, and none
 * would be kept in the browser's cache.
 */
export const onlyWayTo = (origin: string, { otherOrigins }: Expectations) => ({
  server: 'http://127.0.0.1:1',
  bypass: hostsOf(origin, otherOrigins).join(','),
});

const hostsOf = (origin: string, others: readonly string[] = []) =>
  [origin, ...others].map((each) => new URL(each).host);

/** Of each watched profile: what it expects, to which a test may add while it runs. */
const expectations = new WeakMap<BrowserContext, ExpectedAnswer[]>();

/** Declares answers of 4xx and 5xx that are about to come; those that came before stay wrong. */
export function expectAnswers(page: Page, ...answers: readonly ExpectedAnswer[]): void {
  const expected = expectations.get(page.context());
  assert(expected, 'this page is not watched');
  expected.push(...answers);
}

/** Watches all pages of a profile, and reports what they ask of another origin. */
export async function watch(
  context: BrowserContext,
  origin: string,
  { expectAnswers: declared = [], expectBrokenRequests = false, otherOrigins = [] }: Expectations,
): Promise<Watch> {
  const expected = [...declared];
  const hosts = new Set(hostsOf(origin, otherOrigins));
  expectations.set(context, expected);
  const log: string[] = [];
  const wrong: string[] = [];
  const tell = (line: string) => {
    wrong.push(line);
    log.push(`! ${line}`);
  };

  context.on('page', (page) =>
    page.on('websocket', (socket) => {
      if (isForeign(new URL(socket.url()))) tell(`left the origin: ${socket.url()}`);
    }),
  );
  context.on('request', (request) => {
    if (isForeign(new URL(request.url()))) tell(`left the origin: ${request.method()} ${request.url()}`);
  });
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? 'unknown';
    // What a page gives up itself: it goes elsewhere, seeks in a video, or saves a file instead of showing it.
    const isGivenUp = reason === 'net::ERR_ABORTED';
    const isTold = isForeign(new URL(request.url()));
    if (!isGivenUp && !isTold && !expectBrokenRequests) tell(`request failed: ${nameOf(request)}: ${reason}`);
  });
  context.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !isExpected(status, new URL(response.url()).pathname))
      tell(`answer ${status}: ${nameOf(response.request())}`);
  });
  context.on('console', (message) => {
    const line = `${message.type()}: ${message.text()}`;
    // Chromium's own echo of answers and failed requests, which are judged above.
    const isEcho = /^Failed to load resource:|^Access to fetch at .* has been blocked by CORS policy/.test(
      message.text(),
    );
    if (!isEcho && ['error', 'warning', 'assert'].includes(message.type())) tell(`console ${line}`);
    else log.push(line);
  });
  context.on('weberror', (error) => {
    tell(`page error: ${error.error().stack ?? error.error().message}`);
  });
  await context.exposeBinding('tollgateViolation', (_source, text) => {
    tell(`against the Content-Security-Policy: ${String(text)}`);
  });
  await context.addInitScript({ content: reportViolations });

  return {
    log,
    assertClean: async () => {
      // A page's answer comes after all that it reported before; one that is navigating has no answer to give.
      await Promise.allSettled(context.pages().map((page) => page.evaluate(twoFrames)));
      assert.equal(wrong.length, 0, `The page did what it must not:\n- ${wrong.join('\n- ')}`);
    },
  };

  function isForeign(url: URL): boolean {
    if (['data:', 'blob:', 'about:'].includes(url.protocol)) return false;
    return !hosts.has(url.host);
  }

  function isExpected(status: number, path: string): boolean {
    return expected.some((answer) =>
      typeof answer === 'number' ? answer === status : answer.status === status && answer.path === path,
    );
  }
}

const nameOf = (request: Request): string => `${request.method()} ${request.url()}`;

const reportViolations = `document.addEventListener('securitypolicyviolation', (event) => {
  tollgateViolation(event.effectiveDirective + ' forbids ' + (event.blockedURI || 'inline') + ' ' + event.sample);
});`;

/** Time for the page to do what it has begun: events of the last change are sent with the next frame. */
const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null))))';
