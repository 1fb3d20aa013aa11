/** Audio between an upstream and its taker, the caller or the blob store: as it comes, or out of events. */
import type { Writable } from 'node:stream';
import { mediaTypeOfAudio } from '../domain/audio.ts';
import { AudioEventsMeter } from '../domain/chat/audio-events-meter.ts';
import type { AnswerStatement } from '../domain/chat/answer-statement.ts';
import { MeteredStream } from '../domain/chat/metered-stream.ts';
import type { ChatUnreachable } from '../domain/chat/unreachable.ts';
import { GatewayError } from '../domain/errors.ts';
import { AudioLength } from '../media/audio-length/audio-length.ts';
import type { ChatHead } from '../providers/chat-contract.ts';
import type { ApiDependencies } from '../api/dependencies.ts';
import type { AnswerMemory } from './answer-memory.ts';
import type { Call, SpeechCall } from './call.ts';
import { CallCancelled, type CallCancellation } from './call-cancellation.ts';
import { isPricedBySeconds } from './receipt.ts';
import { type CallerFault, RouteFault } from './route-faults.ts';
import type { AnswerReader, SentCall } from './send-call.ts';
import { brokenBy, drainedEnd, endOf, type StreamEnd } from './stream-end.ts';

/** A taker that takes nothing for so long has left, whatever its connection says: it would keep its hold for ever. */
const untakenMsMax = 60_000;

/** What an upstream may take to end after the last event. */
const lateMsMax = 1_000;

/** Who takes the audio. */
export interface AudioTaker {
  writable: Writable;
  /** Called before the first bytes. */
  begin: (mediaType: string) => void;
  /** Whether something was delivered, so that no other route can be asked. */
  isBegun: () => boolean;
}

interface RelayParts {
  call: Call;
  speech: SpeechCall;
  settings: ApiDependencies['configuration'];
  room: AnswerMemory;
  sent: SentCall;
}

export class AudioRelay implements AnswerReader {
  readonly #parts: RelayParts;
  readonly #length: AudioLength;
  /** Where the audio comes in events. */
  #events: MeteredStream<AudioEventsMeter> | undefined;
  #mediaType = '';
  #taker: AudioTaker | undefined;
  #resolve: (relayed: { end: StreamEnd; latencyMs: number }) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;
  #latencyMs = 0;
  #untaken: NodeJS.Timeout | undefined;
  #late: NodeJS.Timeout | undefined;
  #bytes = 0;
  #isAnswered = false;
  #isOver = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
    this.#length = new AudioLength(parts.speech.format);
  }

  get stated(): AnswerStatement {
    return this.#events?.meter.stated ?? { id: undefined, tier: undefined, usage: undefined, toolCalls: {} };
  }

  /** Of the audio as far as it came. */
  get bytes(): number {
    return this.#bytes;
  }

  get mediaType(): string {
    return this.#mediaType;
  }

  /** Whole seconds of what came; a begun one counts. */
  get seconds(): number {
    return this.#length.wholeSeconds;
  }

  /** Relays until the audio is over; ending the taker is left to the caller. Rejects only while nothing was delivered. */
  run(cancellation: CallCancellation, taker: AudioTaker): Promise<{ end: StreamEnd; latencyMs: number }> {
    return new Promise((resolve, reject) => {
      this.#taker = taker;
      this.#resolve = resolve;
      this.#reject = reject;
      const { sent } = this.#parts;
      const resume = () => {
        clearTimeout(this.#untaken);
        this.#untaken = undefined;
        if (!this.#isOver) sent.resume();
      };
      taker.writable.on('drain', resume).on('close', resume);
      cancellation.onCancel(() => this.#cancel(cancellation));
      sent.readBy(this);
    });
  }

  onSuccess(latencyMs: number, { contentType }: ChatHead): void {
    const { room, speech } = this.#parts;
    this.#latencyMs = latencyMs;
    this.#isAnswered = true;
    const [type = ''] = contentType.toLowerCase().split(';');
    if (type === 'text/event-stream') {
      const meter = new AudioEventsMeter('responses', (audio) => this.#deliver(audio));
      this.#events = new MeteredStream(meter, undefined, room);
    } else if (/^(?:text\/|application\/json)/.test(type)) {
      this.#end({ broke: noAudio('its answer is no audio') });
    }
    this.#mediaType = /^audio\/[\w.+-]+$/.test(type) ? type : mediaTypeOfAudio[speech.format];
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#events) this.#read(this.#events, (events) => events.push(chunk));
    else this.#deliver(chunk);
  }

  onEnd(): void {
    clearTimeout(this.#late);
    if (this.#isOver) return;
    if (this.#events) this.#read(this.#events, (events) => events.end());
    // Of events the last one is missing.
    if (this.#events) this.#end(endOf(this.#events, this.#parts.settings));
    else this.#end(this.#bytes === 0 ? { broke: noAudio('its answer is empty') } : 'complete');
  }

  onFailure(error: CallerFault | RouteFault | ChatUnreachable): void {
    if (this.#isOver) return;
    if (this.#taker?.isBegun()) this.#end(brokenBy(error));
    else this.#fail(error);
  }

  #read(events: MeteredStream<AudioEventsMeter>, step: (events: MeteredStream<AudioEventsMeter>) => void): void {
    try {
      step(events);
    } catch (error) {
      const text = 'The model sent an event that is too large.';
      this.#end({ broke: this.#parts.room.refusal ?? new GatewayError('upstream_error', text, { cause: error }) });
      return;
    }
    if (events.state !== 'open') this.#end(endOf(events, this.#parts.settings));
  }

  #deliver(audio: Buffer): void {
    const taker = this.#taker;
    if (this.#isOver || !taker || audio.length === 0) return;
    this.#length.push(audio);
    if (this.#length.isUnknown && isPricedBySeconds(this.#parts.call)) {
      this.#end({ broke: noAudio('its audio has no format that can be measured') });
      return;
    }
    const { writable } = taker;
    if (writable.destroyed) return;
    if (this.#bytes === 0) taker.begin(this.#mediaType);
    this.#bytes += audio.length;
    if (writable.write(audio)) return;
    this.#parts.sent.pause();
    this.#untaken ??= setTimeout(() => writable.destroy(), untakenMsMax).unref();
  }

  #cancel({ reason }: CallCancellation): void {
    if (this.#isOver) return;
    const isBegun = this.#taker?.isBegun() === true;
    if (reason === 'drained' && isBegun) this.#end(drainedEnd());
    else if (reason !== 'drained' && this.#isAnswered && isBegun) this.#end('disconnected');
    else this.#fail(new CallCancelled());
  }

  #end(end: StreamEnd): void {
    if (this.#isOver) return;
    if (typeof end === 'object' && this.#taker?.isBegun() !== true) {
      this.#fail(end.byUs === true ? end.broke : new RouteFault('fault', end.broke.message));
      return;
    }
    this.#isOver = true;
    clearTimeout(this.#untaken);
    if (end === 'complete') {
      // An upstream that ends soon keeps its connection, to be used again.
      this.#parts.sent.resume();
      if (this.#events) this.#late = setTimeout(() => this.#parts.sent.abort(), lateMsMax).unref();
    } else this.#parts.sent.abort();
    this.#resolve({ end, latencyMs: this.#latencyMs });
  }

  #fail(error: Error): void {
    this.#isOver = true;
    clearTimeout(this.#untaken);
    this.#parts.sent.abort();
    this.#reject(error);
  }
}

const noAudio = (message: string): GatewayError => new GatewayError('upstream_error', message);
