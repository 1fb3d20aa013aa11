/** The callers' own process, so that their time is not the gateway's. */
import { z } from 'zod';
import { imageCalls } from './callers.ts';
import { serveLoads } from './messages.ts';

const { URL: url, SECRET: secret } = z.object({ URL: z.string(), SECRET: z.string() }).parse(process.env);
const { call } = imageCalls(url, secret);
serveLoads(async () => {
  await call();
});
process.send?.({ ready: true });
