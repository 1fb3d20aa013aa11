/** `TOLLGATE_CORS_ORIGINS`: the origins whose pages may call the public API from a browser, separated by commas, or `*`. */
import { z } from 'zod';

/** `*`: every origin. An empty list: none, which is the default. */
export type CorsOrigins = '*' | readonly string[];

const originsMax = 100;
const rule =
  `must be *, or up to ${originsMax} comma-separated origins as browsers send them: http or https, ` +
  'host and port only, such as https://app.example.com or http://localhost:5173';

/** An origin that no browser would ever send, such as one with a path, could never match, so it is refused. */
export function corsOriginList() {
  return z.string().transform((text, context): CorsOrigins => {
    if (text === '*') return '*';
    const origins = text.split(',').map((each) => each.trim());
    if (origins.length <= originsMax && origins.every(isOrigin)) return origins;
    context.addIssue(rule);
    return z.NEVER;
  });
}

/** Returns whether a text is the serialized origin of an http or https address; a URL's host may hold a `*`. */
const isOrigin = (text: string): boolean =>
  /^https?:\/\/[a-z0-9._:[\]-]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
