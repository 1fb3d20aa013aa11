/** The request of the task benchmark, and who sends it: plain HTTP calls that wait for their image. */
import { Pool } from 'undici';
import { z } from 'zod';

export const imageRequest = { model: 'sim-image', prompt: 'A toll gate at dawn', size: '1024x1024' };

const answerSchema = z.object({ id: z.string(), data: z.array(z.object({ url: z.string() })).length(1) });

/** Callers of one gateway under one key; each call returns the task's id, and fails if the answer has no image. */
export function imageCalls(url: string, secret: string): { call: () => Promise<string>; close: () => Promise<void> } {
  const pool = new Pool(url, { connections: 256, headersTimeout: 330_000, bodyTimeout: 330_000 });
  const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify(imageRequest);
  return {
    call: async () => {
      const path = '/v1/images/generations';
      const answer = await pool.request({ path, method: 'POST', headers, body });
      const text = await answer.body.text();
      if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${text}`);
      return answerSchema.parse(JSON.parse(text)).id;
    },
    close: () => pool.close(),
  };
}
