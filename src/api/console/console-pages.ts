/** The console's pages, `/docs` and `/status`: files as they were built, and for every other address of the console the one page that draws them all. */
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Router from '@koa/router';
import { GatewayError } from '../../domain/errors.ts';
import type { ApiContext, RequestState } from '../context.ts';

const builtFolder = fileURLToPath(new URL('../../../dist/console', import.meta.url));
const nonceMark = '__nonce__';
/** Where a page learns whether it may link to `/status`. */
const statusMark = '__status__';
const yearSeconds = 31_536_000;

const mediaTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** In order of our preference. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const;

interface BuiltFile {
  type: string;
  etag: string;
  plain: Buffer;
  packed: ReadonlyMap<string, Buffer>;
}

type StatusShown = 'shown' | 'hidden';

interface BuiltConsole {
  page: string;
  /** The API's documentation, which draws `/openapi.json`; with a link to the status, and without. */
  docs: Readonly<Record<StatusShown, BuiltFile>>;
  /** The public status, which draws `/status.json`. */
  status: BuiltFile;
  /** For browsers that ask for `/favicon.ico` by themselves, as they do where an answer names no icon. */
  icon: BuiltFile | undefined;
  /** By their address below `/console/`. */
  files: ReadonlyMap<string, BuiltFile>;
}

export interface ConsolePagesOptions {
  /** Where the gateway's own links to files may lead besides itself. */
  filesOrigin?: string | undefined;
  /** Whether `/status` is served, as the settings have it now. */
  isStatusPublic?: () => boolean;
  folder?: string;
}

/**
 * Serves `/console` and all below it but `/console/api`, `/docs`, `/status` and `/favicon.ico`. The files, a few MB, are read once and kept: nothing of a request
 * ever becomes a path on the disk, and a build that is replaced meanwhile leaves no page with half of its files.
 */
export function consolePages(
  router: Router<RequestState>,
  { filesOrigin, isStatusPublic = () => true, folder = builtFolder }: ConsolePagesOptions = {},
): void {
  let kept: BuiltConsole | undefined;
  const built = () => (kept ??= readBuild(folder)); // a build that is missing is looked for again
  router.get(/^\/console$/, (ctx) => {
    ctx.status = 308;
    ctx.redirect('/console/');
  });
  router.get(/^\/docs\/$/, (ctx) => {
    ctx.status = 308;
    ctx.redirect('/docs');
  });
  router.get(/^\/favicon\.ico$/, (ctx) => {
    const { icon } = built();
    if (!icon) throw new GatewayError('route_not_found', `No route matches ${ctx.path}.`);
    ctx.set('Cache-Control', 'no-cache');
    answerBytes(ctx, icon);
  });
  const statusShown = () => (isStatusPublic() ? 'shown' : 'hidden');
  router.get(/^\/docs$/, (ctx) => answerOpenPage(ctx, built().docs[statusShown()]));
  router.get(/^\/status$/, (ctx) => {
    if (!isStatusPublic()) throw new GatewayError('route_not_found', `No route matches ${ctx.path}.`);
    answerOpenPage(ctx, built().status);
  });
  router.get(/^\/console\/(?!api(?:\/|$))(.*)$/, (ctx) => {
    const { files, page } = built();
    const name = ctx.path.slice('/console/'.length);
    const file = files.get(name);
    if (!file && !name.startsWith('assets/')) {
      answerPage(ctx, page.replace(statusMark, statusShown()), filesOrigin);
      return;
    }
    if (!file) throw new GatewayError('route_not_found', `No route matches ${ctx.path}.`);
    answerFile(ctx, file);
  });
}

/** Never kept by anybody: each answer has a nonce of its own, and a new build must be seen at once. */
function answerPage(ctx: ApiContext, page: string, filesOrigin: string | undefined): void {
  const nonce = randomBytes(18).toString('base64');
  ctx.set({
    'Content-Security-Policy': policy(nonce, filesOrigin),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  });
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page.replaceAll(nonceMark, nonce);
}

/** A page that is the same for everyone. */
function answerOpenPage(ctx: ApiContext, page: BuiltFile): void {
  ctx.set({
    'Content-Security-Policy': openPolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-cache', // kept, and asked for anew: its files change their names with a build
  });
  answerBytes(ctx, page);
}

function answerFile(ctx: ApiContext, file: BuiltFile): void {
  ctx.set('Cache-Control', `public, max-age=${yearSeconds}, immutable`);
  answerBytes(ctx, file);
}

function answerBytes(ctx: ApiContext, { type, etag, plain, packed }: BuiltFile): void {
  ctx.vary('Accept-Encoding');
  const encoding = encodings.find(({ name }) => packed.has(name) && ctx.acceptsEncodings(name) === name)?.name;
  ctx.status = 200;
  ctx.etag = encoding ? `${etag}-${encoding}` : etag; // bytes that differ have tags that differ
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding) ctx.set('Content-Encoding', encoding);
  ctx.type = type;
  ctx.body = (encoding && packed.get(encoding)) ?? plain;
}

/** Styles by the nonce are antd's, which it makes as components are shown; nothing else inline, and no other host but for files. */
function policy(nonce: string, filesOrigin: string | undefined): string {
  const files = filesOrigin === undefined ? '' : ` ${filesOrigin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    `img-src 'self' data: blob:${files}`,
    `media-src 'self' blob:${files}`,
    `connect-src 'self'${files}`,
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Of pages that are the same for everyone: they make no styles, and so need no nonce, and ask this gateway only. */
const openPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

function readBuild(folder: string): BuiltConsole {
  try {
    const names = readdirSync(join(folder, 'assets'));
    const files = names
      .filter((name) => mediaTypes[extname(name)] !== undefined)
      .map((name) => [`assets/${name}`, readBuilt(join(folder, 'assets'), name, names)] as const);
    const openPage = (name: string, status: StatusShown) => {
      const text = readFileSync(join(folder, name), 'utf8').replaceAll(` nonce="${nonceMark}"`, '');
      return builtFile(Buffer.from(text.replace(statusMark, status)), 'text/html; charset=utf-8');
    };
    return {
      icon: files.find(([name]) => /^assets\/icon-[^/]+\.svg$/.test(name))?.[1],
      page: readFileSync(join(folder, 'index.html'), 'utf8'),
      docs: { shown: openPage('docs.html', 'shown'), hidden: openPage('docs.html', 'hidden') },
      status: openPage('status.html', 'shown'),
      files: new Map(files),
    };
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause;
    throw new GatewayError('not_ready', "The console isn't built. Run `npm run build`.", { cause });
  }
}

function readBuilt(folder: string, name: string, names: readonly string[]): BuiltFile {
  const plain = readFileSync(join(folder, name));
  const packed = encodings
    .filter(({ suffix }) => names.includes(name + suffix))
    .map((encoding) => [encoding.name, readFileSync(join(folder, name + encoding.suffix))] as const);
  return builtFile(plain, mediaTypes[extname(name)] ?? 'application/octet-stream', new Map(packed));
}

const builtFile = (plain: Buffer, type: string, packed: BuiltFile['packed'] = new Map()): BuiltFile => ({
  type,
  etag: createHash('sha256').update(plain).digest('base64url').slice(0, 22),
  plain,
  packed,
});
