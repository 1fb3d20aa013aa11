/** What a page costs who opens it for the first time, in bytes as they came over the network. */
import type { Page } from 'playwright-core';

export interface FirstLoad {
  /** Of all answers together, compressed as they came, with their headers. */
  bytes: number;
  /** The largest first. */
  files: { url: string; bytes: number }[];
}

const settleTimeoutMs = 30_000;

/**
 * Opens an address with empty caches, and measures until `ready` has resolved and everything is there that was asked for by then,
 * except event streams, which never end.
 */
export async function firstLoad(page: Page, url: string, ready: (page: Page) => Promise<void>): Promise<FirstLoad> {
  const session = await page.context().newCDPSession(page);
  const asked = new Map<string, string>();
  const files: FirstLoad['files'] = [];
  let changed: () => void = () => undefined;
  session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    if (type === 'Document') asked.clear(); // what the page before had asked for is given up, at times without a word
    if (type !== 'EventSource' && !/^(data|blob):/.test(request.url)) asked.set(requestId, request.url);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const name = asked.get(requestId);
    if (name !== undefined) files.push({ url: name, bytes: encodedDataLength });
    asked.delete(requestId);
    changed();
  });
  session.on('Network.loadingFailed', ({ requestId }) => {
    asked.delete(requestId);
    changed();
  });
  await session.send('Network.enable');
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.goto(url);
  await ready(page);
  const open = new Set(asked.keys());
  const isSettled = () => [...open].every((id) => !asked.has(id));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`never answered: ${[...asked.values()].join(', ')}`));
    }, settleTimeoutMs);
    changed = () => {
      if (!isSettled()) return;
      clearTimeout(timer);
      resolve();
    };
    changed();
  });
  await session.detach();
  files.sort((one, other) => other.bytes - one.bytes);
  return { bytes: files.reduce((sum, file) => sum + file.bytes, 0), files };
}
