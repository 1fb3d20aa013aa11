/** The log: JSON, one line a request and a step. What could hold a secret is never handed to it, and struck out if it is. */
import pino, { type Logger } from 'pino';
import type { LogLevel } from '../../config/environment.ts';
import { Mask } from './mask.ts';
import { onceATurn } from './once-a-turn.ts';
import { plainError } from './plain-error.ts';
import { rotatingFile } from './rotating-file.ts';

/** Names under which no line may say anything, should one ever try. */
const struckOut = [
  'authorization',
  'body',
  'cookie',
  'headers',
  'prompt',
  'key',
  'apiKey',
  'secret',
  'password',
  'token',
  'url',
];

export interface LogOptions {
  /** With a file, only errors go to stderr besides. */
  file?: string;
  /** With the secrets that this process knows. */
  mask?: Mask;
  /** Each line has the process's id, where several processes write one log. */
  hasPid?: boolean;
}

/** Logs to stderr, or to a file that is kept small. */
export function createLog(level: LogLevel, { file, mask, hasPid = false }: LogOptions = {}): Logger {
  const options = { ...logOptions(level, mask), ...(hasPid && { base: { pid: process.pid } }) };
  if (file === undefined) return pino(options, onceATurn(pino.destination(2)));
  return pino(
    options,
    pino.multistream([
      { level: level === 'silent' ? 'fatal' : level, stream: onceATurn(rotatingFile(file)) },
      { level: 'error', stream: pino.destination(2) },
    ]),
  );
}

/** What every line goes through, wherever it is written. */
export function logOptions(level: LogLevel, mask = new Mask()): pino.LoggerOptions {
  return {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: struckOut, remove: true },
    serializers: { err: plainError, error: plainError },
    hooks: { streamWrite: mask.applied },
  };
}
