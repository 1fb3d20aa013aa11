/** Files that a caller named, fetched for providers that want the bytes themselves. They wait on disk, not in memory. */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { GatewayError } from '../../domain/errors.ts';
import { InvalidMedia, probeMedia } from '../../media/probe.ts';
import type { ProviderTools } from '../definition.ts';

const chunkBytes = 64 * 1024;

export interface InputFile {
  mediaType: string;
  bytes: number;
  read(): AsyncIterable<Uint8Array>;
}

export interface InputFiles {
  files: InputFile[];
  /** Frees the disk space. */
  close: () => Promise<void>;
}

export interface InputBounds {
  mediaTypes: readonly string[];
  /** Of one file. */
  bytesMax: number;
  /** Of all together. */
  allBytesMax: number;
  /** For all together. */
  timeoutMs: number;
}

/**
 * Fetches the files at these addresses side by side. Refuses with `invalid_parameter` and the address's `param` what
 * can't be fetched in time, is too large, or is of another type by its own bytes; nothing is left behind then. The
 * files have no name on disk, so a process that dies leaves none either.
 */
export async function fetchInputFiles(
  inputs: readonly { url: string; param: string }[],
  tools: Pick<ProviderTools, 'fetchFile' | 'tempDir'>,
  { mediaTypes, bytesMax, allBytesMax, timeoutMs }: InputBounds,
  signal: AbortSignal,
): Promise<InputFiles> {
  const handles: FileHandle[] = [];
  const failed = new AbortController();
  const late = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([signal, failed.signal, late]);
  let allBytes = 0;
  await mkdir(tools.tempDir, { recursive: true });
  const fetches = inputs.map(fetched);
  const close = async () => {
    await Promise.all(handles.map((handle) => handle.close()));
  };
  try {
    return { files: await Promise.all(fetches), close };
  } catch (error) {
    failed.abort();
    await Promise.allSettled(fetches);
    await close();
    throw error;
  }

  async function fetched({ url, param }: { url: string; param: string }): Promise<InputFile> {
    const refused = (message: string, cause?: unknown) =>
      new GatewayError('invalid_parameter', message, { param, cause });
    try {
      const handle = await namelessFile();
      const source = await unlessStopped(tools.fetchFile(url, param));
      await writeFile(handle, counted(addAbortSignal(stop, source)));
      const { size: bytes } = await handle.stat();
      const { mediaType } = await probeMedia({ bytes, read: (start, end) => readFrom(handle, start, end) });
      if (!mediaTypes.includes(mediaType)) {
        throw refused(`The file at this URL is ${mediaType}; the model accepts ${mediaTypes.join(', ')}.`);
      }
      return { mediaType, bytes, read: () => chunksOf(handle, bytes) };
    } catch (error) {
      if (error instanceof TooLarge) throw refused(error.message, error);
      if (error instanceof InvalidMedia) throw refused('The file at this URL is not a readable image.', error);
      if (error instanceof GatewayError || !late.aborted) throw error;
      throw refused(`The file at this URL could not be fetched within ${timeoutMs / 1000} s.`, error);
    }
  }

  async function namelessFile(): Promise<FileHandle> {
    const path = join(tools.tempDir, `input-${randomUUID()}`);
    const handle = await open(path, 'wx+', 0o600);
    handles.push(handle);
    await unlink(path);
    return handle;
  }

  /** What comes after the stop is thrown away. */
  async function unlessStopped(fetching: Promise<Readable>): Promise<Readable> {
    let onAbort = ignore;
    const stopped = new Promise<never>((_, reject) => {
      onAbort = () => reject(new Error('stopped', { cause: stop.reason }));
      if (stop.aborted) onAbort();
      else stop.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([fetching, stopped]);
    } catch (error) {
      fetching.then((source) => source.destroy(), ignore);
      throw error;
    } finally {
      stop.removeEventListener('abort', onAbort);
    }
  }

  async function* counted(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let bytes = 0;
    for await (const chunk of source) {
      bytes += chunk.length;
      allBytes += chunk.length;
      if (bytes > bytesMax) throw new TooLarge(`The file at this URL exceeds ${bytesMax} bytes.`);
      if (allBytes > allBytesMax) throw new TooLarge(`The files together exceed ${allBytesMax} bytes.`);
      yield chunk;
    }
  }
}

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

async function readFrom(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
  return buffer.subarray(0, bytesRead);
}

async function* chunksOf(handle: FileHandle, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes;) {
    const chunk = await readFrom(handle, at, Math.min(bytes, at + chunkBytes));
    if (chunk.length === 0) throw new Error('a fetched file became shorter');
    yield chunk;
    at += chunk.length;
  }
}

function ignore(): void {
  // the failure is reported as `stopped` already
}
