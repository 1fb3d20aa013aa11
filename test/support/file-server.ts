/** Files under addresses, as callers name them: a local web server for one test file. */
import { createServer } from 'node:http';

export interface FileServer {
  /** Without a slash at its end. */
  url: string;
  /** The paths that were asked for. */
  asked: string[];
  close(): Promise<void>;
}

/** Serves each file under its name. */
export async function serveFiles(
  files: Readonly<Record<string, { type: string; bytes: Buffer }>>,
): Promise<FileServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const file = files[path.slice(1)];
    if (file) response.setHeader('Content-Type', file.type).end(file.bytes);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
