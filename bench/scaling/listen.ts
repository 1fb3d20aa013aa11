/** As many APIs as are asked for, as far as hearing of ended tasks goes: a connection each that listens. */
import { once } from 'node:events';
import pg from 'pg';

export const channel = 'tollgate_bench_notices';

/** Returns the CPU time that hearing took, once every listener has heard every notice. */
export async function listen(order: {
  databaseUrl: string;
  listeners: number;
  notices: number;
}): Promise<{ cpuMs: number }> {
  const clients = Array.from({ length: order.listeners }, () => new pg.Client({ connectionString: order.databaseUrl }));
  let left = order.listeners * order.notices;
  const all = new Promise<void>((resolve) => {
    for (const client of clients) client.on('notification', () => --left === 0 && resolve());
  });
  for (const client of clients) {
    await client.connect();
    await client.query(`listen ${channel}`);
  }
  process.send?.({ listening: true });
  await once(process, 'message'); // begin
  const before = process.cpuUsage();
  await all;
  const { user, system } = process.cpuUsage(before);
  await Promise.all(clients.map((client) => client.end()));
  return { cpuMs: (user + system) / 1_000 };
}
