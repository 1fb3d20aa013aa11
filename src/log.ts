/** The log: JSON, one line a request and a step. What could hold a secret is never handed to it, and struck out if it is. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import pino, { type Logger } from 'pino';
import type { LogLevel } from './settings/environment.ts';

const struckOut = [
  'authorization',
  'headers',
  'prompt',
  'key',
  'apiKey',
  'secret',
  'password',
  'url',
  'err.config',
  'err.request',
];

/** Logs to stderr, or to a file with only errors on stderr besides. */
export function createLog(level: LogLevel, file?: string): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: struckOut, remove: true },
  };
  if (file === undefined) return pino(options, pino.destination(2));
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return pino(
    options,
    pino.multistream([
      { level: level === 'silent' ? 'fatal' : level, stream: pino.destination({ dest: file, append: true }) },
      { level: 'error', stream: pino.destination(2) },
    ]),
  );
}
