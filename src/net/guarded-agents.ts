/** Connections to addresses that callers and results name: looked up again as they are made, so that a name can't lead elsewhere after it was checked. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { isPublicAddress } from './ip-addresses.ts';
import type { AddressGuard } from './public-hosts.ts';

/** A name that resolved to an address that must not be reached. */
export class ClosedHost extends Error {
  override readonly name = 'ClosedHost';
}

export class GuardedAgents {
  readonly #options: Agent.Options & { connectTimeout: number };
  #open: Agent | undefined;
  #guarded: Agent | undefined;

  constructor(options: Agent.Options & { connectTimeout: number }) {
    this.#options = options;
  }

  /** The agent for an address; all but the operator's own connect to public hosts only, else fail with ClosedHost. */
  for(address: URL, guard: AddressGuard): Agent {
    if (guard.allowsAnyHost(address)) return (this.#open ??= new Agent(this.#options));
    const connect = { lookup: publicLookup, timeout: this.#options.connectTimeout };
    return (this.#guarded ??= new Agent({ ...this.#options, connect }));
  }
}

/** The system's look-up, failing where any of the addresses is not public. */
const publicLookup: LookupFunction = (host, options, callback) => {
  systemLookup(host, { ...options, all: true }, (error, found: LookupAddress[]) => {
    // First of all: after an error Node hands over no list, whatever its types say.
    if (error !== null) {
      callback(error, []);
      return;
    }
    const [first] = found;
    if (first === undefined) callback(new Error('no address'), []);
    else if (!found.every(({ address }) => isPublicAddress(address))) callback(new ClosedHost(host), []);
    else if (options.all === true) callback(null, found);
    else callback(null, first.address, first.family);
  });
};
