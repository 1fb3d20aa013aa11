/** Where the containers' addresses and paths are on this one machine. */
import { isPortFree } from '../../../src/embedded/ports.ts';
import type { Service } from '../../support/compose.ts';

/** The ports on which services listen inside of their containers. Temporal's others follow from its first one. */
const listens: readonly [service: string, ports: readonly number[]][] = [
  ['postgres', [5432]],
  ['store', [7070]],
  ['api-1', [8080]],
  ['api-2', [8080]],
  ['worker-1', [8081]],
  ['worker-2', [8081]],
  ['balancer', [8080, 8404]],
];
/** What ops/temporal/server.yaml derives from TEMPORAL_PORT. */
const temporalOffsets = [-300, -299, -298, -294, 0, 1, 2, 6, 10, 767];

export class Places {
  readonly #ports: ReadonlyMap<string, number>;
  readonly #volumes: string;
  readonly #root: string;

  private constructor(ports: ReadonlyMap<string, number>, volumes: string, root: string) {
    this.#ports = ports;
    this.#volumes = volumes;
    this.#root = root;
  }

  /** Free loopback ports, and folders below `volumes` for the named volumes. */
  static async find(volumes: string, root: string): Promise<Places> {
    const ports = new Map<string, number>();
    const start = await temporalPort();
    for (const port of [7233, 7243]) ports.set(`temporal:${port}`, start + port - 7233);
    let next = start + 1_000;
    for (const [service, all] of listens) {
      for (const port of all) {
        while (!(await isPortFree(next))) next += 1;
        ports.set(`${service}:${port}`, next);
        next += 1;
      }
    }
    return new Places(ports, volumes, root);
  }

  port(service: string, port: number): number {
    const found = this.#ports.get(`${service}:${port}`);
    if (found === undefined) throw new Error(`${service} does not listen on ${port}`);
    return found;
  }

  /** A setting or an argument of a service, with its addresses and paths as they are here. */
  translated(text: string, name: string, { volumes }: Service): string {
    const addressed = text.replaceAll(/([\w.*-]*):(\d{4,5})\b/g, (whole, host: string, port: string) => {
      const isOwn = ['', '*', '127.0.0.1', '0.0.0.0'].includes(host);
      const found = this.#ports.get(`${isOwn ? name : host}:${port}`);
      return found === undefined ? whole : `127.0.0.1:${found}`;
    });
    return volumes.reduce((all, volume) => {
      const [source = '', target = ''] = volume.split(':');
      const place = source.startsWith('.')
        ? `${this.#root}/${source}`
        : source.startsWith('/')
          ? source
          : this.volume(source);
      return all.replaceAll(new RegExp(`(^|=)${target}(?=/|$)`, 'g'), `$1${place}`);
    }, addressed);
  }

  volume(name: string): string {
    return `${this.#volumes}/${name}`;
  }
}

/** The first of a group of ports that are all free. */
async function temporalPort(): Promise<number> {
  for (let port = 16_000 + Math.floor(Math.random() * 10_000); port < 28_000; port += 37) {
    const free = await Promise.all(temporalOffsets.map((offset) => isPortFree(port + offset)));
    if (free.every(Boolean)) return port;
  }
  throw new Error('no free ports for Temporal');
}
