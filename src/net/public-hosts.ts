/** The guard of addresses that callers and results name: only public hosts, unless the operator allows more. */
import { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import { GatewayError } from '../domain/errors.ts';
import { isPublicAddress } from './ip-addresses.ts';

/** A look-up that takes longer counts as one that found nothing. */
const lookupMs = 2_000;
/** `getaddrinfo` blocks a thread of the pool of 4 that files and compression need too. */
const lookupsAtOnce = 2;

/** Names that lead inwards by themselves (RFC 6761, 6762, 8375; `.internal` is reserved by ICANN). */
const inwardNames = ['localhost', 'local', 'internal', 'home.arpa', 'localdomain'];

export interface AddressGuardSettings {
  /** `TOLLGATE_ALLOW_PRIVATE_URLS`. */
  allowPrivate: boolean;
  /** Addresses whose origins always pass; for results, the providers' base URLs. */
  allowedOrigins?: readonly string[];
  /** Folders below which everything passes, even at a refused origin: where our own links to files lead. */
  allowedFolders?: readonly string[];
  /** Addresses whose origins never pass; for what callers name, the providers' base URLs, public ones, too. */
  refusedOrigins?: readonly string[];
  /** All addresses of a host name; stands in for the system's look-up in tests. */
  resolve?: (host: string) => Promise<readonly string[]>;
}

/** `http://a\\@b/` leads to `a` for browsers and Node, and to `b` by RFC 3986; blanks and controls are dropped by some. */
const readInTwoWays = /[\\\s\u0000-\u001f\u007f-\u009f]/;

export class AddressGuard {
  readonly #allowPrivate: boolean;
  readonly #allowedOrigins = new Set<string>();
  readonly #allowedFolders = new Set<string>();
  readonly #refusedOrigins = new Set<string>();
  readonly #resolve: (host: string) => Promise<readonly string[]>;

  constructor({ allowPrivate, resolve = resolveBySystem, ...lists }: AddressGuardSettings) {
    this.#allowPrivate = allowPrivate;
    for (const address of lists.allowedOrigins ?? []) this.allow(address);
    for (const folder of lists.allowedFolders ?? []) this.allowBelow(folder);
    for (const address of lists.refusedOrigins ?? []) this.refuse(address);
    this.#resolve = resolve;
  }

  /**
   * Refuses with `invalid_parameter` an address that is not http(s), carries credentials, can be read in two ways, lies
   * at a refused origin, or whose host is or resolves to anything but public addresses. What can't be resolved within
   * 2 s passes: the connection is checked again.
   */
  async check(url: string, param?: string): Promise<void> {
    const address = this.#checkForm(url, param);
    if (this.allowsAnyHost(address)) return;
    const host = hostOf(address);
    if (isIP(host) !== 0) return;
    const found = await this.#resolve(host);
    if (!found.every(isPublicAddress)) throw refused(param, 'its host is not on the public internet');
  }

  /** As `check`, but judges the address as it is written, without a look-up. */
  checkWritten(url: string, param?: string): void {
    this.#checkForm(url, param);
  }

  /** Lets everything at this address's origin pass from now on. */
  allow(address: string): void {
    this.#allowedOrigins.add(new URL(address).origin);
  }

  /** Lets everything below this folder pass from now on: the gateway's own links, once its address is known. */
  allowBelow(folder: string): void {
    this.#allowedFolders.add(new URL(folder).href.replace(/\/*$/, '/'));
  }

  /** Lets nothing at this address's origin pass from now on, but for the allowed folders. */
  refuse(address: string): void {
    this.#refusedOrigins.add(originOf(new URL(address)));
  }

  /** Whether the operator lets this address lead anywhere, so that a connection needs no check. */
  allowsAnyHost(address: URL): boolean {
    return this.#allowPrivate || this.#allowedOrigins.has(address.origin) || this.#isInAllowedFolder(address);
  }

  #isInAllowedFolder({ href }: URL): boolean {
    for (const folder of this.#allowedFolders) if (href.startsWith(folder)) return true;
    return false;
  }

  #checkForm(url: string, param: string | undefined): URL {
    if (!URL.canParse(url)) throw refused(param, 'it is not a URL');
    // What goes to a provider goes there as it is written, and not every reader of URLs finds the host where we do.
    if (readInTwoWays.test(url)) throw refused(param, 'it must not contain backslashes, spaces or control characters');
    const address = new URL(url);
    if (address.protocol !== 'http:' && address.protocol !== 'https:')
      throw refused(param, 'only http and https are allowed');
    if (address.username !== '' || address.password !== '') throw refused(param, 'it must not contain credentials');
    if (!/^https?:\/\/[^/]/i.test(url)) throw refused(param, "exactly two slashes must follow 'http:' or 'https:'");
    if (this.allowsAnyHost(address)) return address;
    if (this.#refusedOrigins.has(originOf(address)))
      throw refused(param, 'it must not point to a provider of this gateway');
    if (!isPublicAsWritten(hostOf(address))) {
      throw refused(param, 'its host is not on the public internet');
    }
    return address;
  }
}

/** Decimal, octal and hexadecimal forms of IPv4 were made dotted by the URL parser. */
function isPublicAsWritten(host: string): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  return !inwardNames.some((name) => host === name || host.endsWith(`.${name}`));
}

/** `api.example.com.` is the same host, written as absolute. */
const originOf = ({ protocol, hostname, port }: URL): string => `${protocol}//${hostname.replace(/\.+$/, '')}:${port}`;

const hostOf = (address: URL): string => address.hostname.replace(/^\[|\]$|\.$/g, '');

const refused = (param: string | undefined, reason: string): GatewayError =>
  new GatewayError(
    'invalid_parameter',
    `${param ?? 'This URL'} is not allowed: ${reason}.`,
    param === undefined ? {} : { param },
  );

let lookupsRunning = 0;
const lookupsWaiting: (() => void)[] = [];

/** What the system finds for a host within the time, waiting for a turn included; nothing if it finds nothing. */
function resolveBySystem(host: string): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      const turn = lookupsWaiting.indexOf(start);
      if (turn >= 0) lookupsWaiting.splice(turn, 1);
      resolve([]);
    }, lookupMs);
    if (lookupsRunning < lookupsAtOnce) start();
    else lookupsWaiting.push(start);

    function start(): void {
      lookupsRunning += 1;
      systemLookup(host, { all: true }, (error, found) => {
        lookupsRunning -= 1;
        lookupsWaiting.shift()?.();
        clearTimeout(timer);
        resolve(error === null ? found.map(({ address }) => address) : []);
      });
    }
  });
}
