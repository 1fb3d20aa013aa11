/**
 * The floor: the least that a Node server can do. A POST's body goes into a file, hashed and forced to the disk, and a GET
 * streams a file. It parses nothing, authenticates no caller and keeps nothing.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const folder = process.env['FOLDER'] ?? '';

const server = createServer((request, response) => {
  const work = request.method === 'POST' ? received(request) : stat(join(folder, 'file'));
  work.then(
    async (facts) => {
      if ('sha256' in facts) {
        response.end(JSON.stringify(facts));
        return;
      }
      response.setHeader('content-length', facts.size);
      await pipeline(createReadStream(join(folder, 'file')), response).catch(() => undefined);
    },
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});

async function received(request: IncomingMessage): Promise<{ bytes: number; sha256: string }> {
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx');
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of request as AsyncIterable<Buffer>) {
      hash.update(piece);
      bytes += (await file.write(piece)).bytesWritten;
    }
    await file.sync();
    return { bytes, sha256: hash.digest('hex') };
  } finally {
    await file.close();
    await unlink(path);
  }
}

server.listen({ host: '127.0.0.1', port: 0 }, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ url: `http://127.0.0.1:${address.port}` });
});
process.once('disconnect', () => process.exit());
