/** The guard of addresses that callers and results name: only public hosts, unless the operator allows more. */
import { lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import { GatewayError } from '../domain/errors.ts';
import { isPublicAddress } from './addresses.ts';

/** A look-up that takes longer counts as one that found nothing. */
const lookupMs = 2_000;
/** `getaddrinfo` blocks a thread of the pool of 4 that files and compression need too. */
const lookupsAtOnce = 2;

/** Names that lead inwards by themselves (RFC 6761, 6762, 8375; `.internal` is reserved by ICANN). */
const inwardNames = ['localhost', 'local', 'internal', 'home.arpa', 'localdomain'];

export interface AddressGuardSettings {
  /** `TOLLGATE_ALLOW_PRIVATE_URLS`. */
  allowPrivate: boolean;
  /** Addresses whose origins always pass: the providers' base URLs and `PUBLIC_URL`. */
  allowedOrigins: readonly string[];
  /** All addresses of a host name; stands in for the system's look-up in tests. */
  resolve?: (host: string) => Promise<readonly string[]>;
}

export class AddressGuard {
  readonly #allowPrivate: boolean;
  readonly #allowedOrigins: Set<string>;
  readonly #resolve: (host: string) => Promise<readonly string[]>;

  constructor({ allowPrivate, allowedOrigins, resolve = resolveBySystem }: AddressGuardSettings) {
    this.#allowPrivate = allowPrivate;
    this.#allowedOrigins = new Set(allowedOrigins.map((address) => new URL(address).origin));
    this.#resolve = resolve;
  }

  /**
   * Refuses with `invalid_parameter` an address that is not http(s), carries credentials, or whose host is or resolves
   * to anything but public addresses. What can't be resolved within 2 s passes: the connection is checked again.
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

  /** Lets everything at this address pass from now on: the gateway's own, once it is known. */
  allow(address: string): void {
    this.#allowedOrigins.add(new URL(address).origin);
  }

  /** Whether the operator lets this address lead anywhere, so that a connection needs no check. */
  allowsAnyHost(address: URL): boolean {
    return this.#allowPrivate || this.#allowedOrigins.has(address.origin);
  }

  #checkForm(url: string, param: string | undefined): URL {
    if (!URL.canParse(url)) throw refused(param, 'it is not a URL');
    const address = new URL(url);
    if (address.protocol !== 'http:' && address.protocol !== 'https:') throw refused(param, 'only http and https');
    if (address.username !== '' || address.password !== '') throw refused(param, 'it must not contain credentials');
    if (!this.allowsAnyHost(address) && !isPublicAsWritten(hostOf(address))) {
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

const hostOf = (address: URL): string => address.hostname.replace(/^\[|\]$|\.$/g, '');

const refused = (param: string | undefined, reason: string): GatewayError =>
  new GatewayError(
    'invalid_parameter',
    `${param ?? 'This address'} is refused: ${reason}.`,
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
