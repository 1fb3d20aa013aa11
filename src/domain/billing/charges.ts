/** What a task that succeeded is charged, from its terms, its hold and its files alone: so it can be worked out again. */
import type { Money } from '../money.ts';
import { mostOfTask } from './overrun.ts';
import type { Pixels } from '../tasks/pixels.ts';
import { type Output, type Quote, quoteOf } from './pricing.ts';
import type { StoredFile, TaskKind } from '../tasks/task-states.ts';
import type { TaskTerms } from '../tasks/terms.ts';

export interface TaskCharge {
  /** What is paid for. */
  output: Output;
  quote: Quote;
  /** The most that the customer pays, if there is a bound. */
  most: Money | undefined;
  /** Of videos. */
  durationMs: number | null;
  /** Of an image or a second. */
  thousandths: bigint;
}

/** Throws a plain Error for terms and files that don't go together, and a TypeError for a video without a duration. */
export function chargeOfTask(
  kind: TaskKind,
  terms: Pick<TaskTerms, 'price' | 'askedSeconds' | 'overrunFactor'>,
  held: Money,
  files: readonly StoredFile[],
): TaskCharge {
  const durationMs = kind === 'image' ? null : durationOf(files);
  const output: Output = durationMs === null ? { images: files.length } : { durationMs, ...pixelsOf(files) };
  return {
    output,
    quote: quoteOf(terms.price, output),
    most: mostOfTask(terms, held, output),
    durationMs,
    thousandths: BigInt(durationMs ?? files.length * 1000),
  };
}

function durationOf(files: readonly StoredFile[]): number {
  return files.reduce((sum, { durationMs }) => {
    if (durationMs === undefined) throw new TypeError('a video without a duration was stored');
    return sum + durationMs;
  }, 0);
}

/** A video is one file. */
function pixelsOf([file]: readonly StoredFile[]): { pixels?: Pixels } {
  const { width, height } = file ?? {};
  return width === undefined || height === undefined ? {} : { pixels: { width, height } };
}
