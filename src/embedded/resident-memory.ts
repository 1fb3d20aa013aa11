/**
 * The memory that the parts of `npm start` have resident, for the log. By PSS (proportional set size): a page that several
 * processes share counts once, a part of it for each. By RSS, PostgreSQL's shared buffers would count once a connection.
 */
import { open, readdir } from 'node:fs/promises';

/** MiB by part, each with the processes below it but those of another part, and all together; undefined where Linux's /proc is not. */
export async function residentMib(pids: Readonly<Record<string, number>>): Promise<Record<string, number> | undefined> {
  if (process.platform !== 'linux') return undefined;
  const parents = await parentsOfAll();
  const parts = new Map(Object.entries(pids).map(([part, pid]) => [pid, part]));
  const partOf = (pid: number): string | undefined => {
    for (let at: number | undefined = pid; at !== undefined; at = parents.get(at)) {
      const part = parts.get(at);
      if (part !== undefined) return part;
    }
    return undefined;
  };
  const mib: Record<string, number> = Object.fromEntries(Object.keys(pids).map((part) => [part, 0]));
  for (const pid of parents.keys()) {
    const part = partOf(pid);
    if (part !== undefined) mib[part] = (mib[part] ?? 0) + (await residentKib(pid)) / 1024;
  }
  const rounded = Object.entries(mib).map(([part, value]) => [part, Math.round(value)] as const);
  return { ...Object.fromEntries(rounded), all: rounded.reduce((sum, [, value]) => sum + value, 0) };
}

/** The parent of each process that runs. */
async function parentsOfAll(): Promise<Map<number, number>> {
  const parents = new Map<number, number>();
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readProc(`${name}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (!Number.isNaN(parent)) parents.set(Number(name), parent);
  }
  return parents;
}

/** 0 of a process that has ended, or whose memory this one may not look at. */
async function residentKib(pid: number): Promise<number> {
  return Number(/^Pss:\s+(\d+) kB/m.exec(await readProc(`${pid}/smaps_rollup`))?.[1] ?? 0);
}

/** Small files, of which `readFile` would not know it: it takes 64 KiB for each, and would be most of what is measured. */
const buffer = Buffer.alloc(4096);

/** Empty for what is gone. One after the other, as there is one buffer. */
async function readProc(path: string): Promise<string> {
  const file = await open(`/proc/${path}`).catch(() => undefined);
  try {
    const { bytesRead = 0 } = (await file?.read(buffer, 0, buffer.length, 0).catch(() => undefined)) ?? {};
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file?.close();
  }
}
