/** What hearing of ended tasks costs when every API hears of each: CPU a notice and API, and how many notices go through. */
import pg from 'pg';
import { nextMessage } from '../children.ts';
import { cpuTimes } from '../processes.ts';
import { channel } from './listen.ts';
import { heardSchema, listeningSchema } from './messages.ts';
import type { RealWorld } from './real-world.ts';

export interface NoticeCosts {
  noticeApiMs: number;
  noticePostgresMs: number;
  noticesPerSecond: number;
}

const tellers = 4;
const [few, many] = [1, 17];

export async function measureNotices(world: RealWorld, notices: number): Promise<NoticeCosts> {
  const one = await sendNotices(world, few, notices);
  const all = await sendNotices(world, many, notices);
  const heard = (many - few) * notices;
  return {
    noticeApiMs: (all.listenerMs - one.listenerMs) / heard,
    noticePostgresMs: Math.max(0, all.postgresMs - one.postgresMs) / heard,
    noticesPerSecond: notices / one.seconds,
  };
}

async function sendNotices(world: RealWorld, listeners: number, notices: number) {
  const child = world.start({ order: 'listen', listeners, notices });
  const pool = new pg.Pool({ connectionString: world.databaseUrl, max: tellers });
  try {
    listeningSchema.parse(await nextMessage(child));
    const answer = nextMessage(child);
    const before = cpuTimes(process.pid).postgres;
    const startedAt = performance.now();
    child.send('begin');
    let left = notices;
    const teller = async () => {
      while (left-- > 0) {
        await pool.query({
          name: 'notify',
          text: 'select pg_notify($1, $2)',
          values: [channel, 'img_0190f3b2c4d57a61'],
        });
      }
    };
    await Promise.all(Array.from({ length: tellers }, teller));
    const seconds = (performance.now() - startedAt) / 1_000;
    const { cpuMs: listenerMs } = heardSchema.parse(await answer);
    return { seconds, listenerMs, postgresMs: cpuTimes(process.pid).postgres - before };
  } finally {
    await pool.end();
    await world.ended(child);
  }
}
