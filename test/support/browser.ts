/** A real Chromium without windows, one a process. Each visit has a profile of its own and is watched: what it must not do fails the test. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { keepTraces, type TracesOptions } from './browser/traces.ts';
import { type Expectations, onlyWayTo, watch } from './browser/watch.ts';

/** Chromium, which the test files of a process share and the first visit starts. */
export const browser: TestBrowser = browserWith({});

export interface TestBrowser {
  /**
   * Opens an empty page in a fresh profile and hands it to `work`; more tabs of the same person come from `page.context()`.
   * Fails as `work` does, or if a page asked another origin, logged an error or a warning, broke its Content-Security-Policy,
   * or had an answer of 4xx or 5xx that was not expected. On failure, prints the folder with screenshots and the console's log.
   */
  visit(options: VisitOptions, work: (page: Page) => Promise<void>): Promise<void>;
}

export interface VisitOptions extends Expectations {
  /** The only place that pages may ask, besides `otherOrigins`; paths are resolved against it. */
  origin: string;
  /** English unless said otherwise. */
  locale?: 'en-US' | 'zh-CN';
  /** Light unless said otherwise. */
  colorScheme?: 'light' | 'dark';
  /** A desktop unless said otherwise. */
  screen?: keyof typeof screens;
  /** Shanghai unless said otherwise: a time that is taken for UTC's shows. */
  timezone?: string;
}

const screens = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 375, height: 812 }, isMobile: true, hasTouch: true },
} satisfies Record<string, BrowserContextOptions>;

/** How long a page may take for what is asked of it, on a machine that has much else to do. */
const pageTimeoutMs = 60_000;

/**
 * What keeps Chromium from asking anybody by itself, as only this machine has a name that it can resolve; and from compiling
 * for speed what runs for seconds, which takes a tenth off its CPU.
 */
const flags = [
  '--js-flags=--no-opt',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** The browser with other places for what a failed visit leaves. */
export function browserWith(traces: TracesOptions): TestBrowser {
  return {
    visit: async ({ origin, locale = 'en-US', colorScheme, screen = 'desktop', timezone, ...expected }, work) => {
      const running = await chromiumOfProcess();
      const context = await running.newContext({
        baseURL: origin,
        proxy: onlyWayTo(origin, expected),
        locale,
        colorScheme: colorScheme ?? 'light',
        timezoneId: timezone ?? 'Asia/Shanghai',
        reducedMotion: 'reduce',
        serviceWorkers: 'block',
        permissions: ['clipboard-read', 'clipboard-write'],
        ...screens[screen],
      });
      context.setDefaultTimeout(pageTimeoutMs);
      const watched = await watch(context, origin, expected);
      try {
        await work(await context.newPage());
        await watched.assertClean();
      } catch (error) {
        await keepTraces(context.pages(), watched.log, traces);
        throw error;
      } finally {
        await context.close();
      }
    },
  };
}

let launched: Promise<Browser> | undefined;

/** It ends with the process, by the pipe between them. One that broke down is replaced. */
async function chromiumOfProcess(): Promise<Browser> {
  const running = await launched?.catch(() => undefined);
  if (running?.isConnected()) return running;
  // Chromium's sandbox needs rights that containers lack; it shows our own pages only.
  launched = chromium.launch({ executablePath: chromiumPath(), headless: true, chromiumSandbox: false, args: flags });
  return launched;
}

/** The shell takes four tenths less CPU for the console's tests than the whole browser with `--headless`. */
function chromiumPath(): string {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'chromium-headless-shell');
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // not in this folder
    }
  }
  throw new Error('There is no chromium-headless-shell; `npm run test:full` installs it.');
}
