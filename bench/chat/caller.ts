/** One caller: makes a scenario's call over a connection that it keeps, and adds what it saw to the tally. */
import { connect, type Socket } from 'node:net';
import { HttpReader } from './http-reader.ts';
import { Samples } from './samples.ts';
import type { Scenario } from './scenarios.ts';
import { StreamScan } from './stream-scan.ts';
import { clockMs, forms } from './wire.ts';

/** What all callers of a load saw. */
export class Tally {
  errors = 0;
  chunks = 0;
  firstError: string | undefined;
  /** Of whole calls, from sending to the last byte. */
  readonly latencies = new Samples();
  /** From sending to the first content chunk. */
  readonly firstChunks = new Samples();
  /** How long after the upstream wrote a chunk it was read here. */
  readonly chunkAges = new Samples();
}

export interface Call {
  host: string;
  port: number;
  /** The whole request, head and body. */
  bytes: Buffer;
  scenario: Scenario;
}

/** The mock's whole answer has more; what is shorter has lost something. */
const answerBytesMin = 300;
const keptCharactersMax = 4_096;

export class Caller {
  readonly #call: Call;
  readonly #tally: Tally;
  readonly #scan: StreamScan;
  #socket: Socket | undefined;
  #done: ((isGood: boolean) => void) | undefined;
  #begunMs = 0;
  #status = 0;
  #bodyBytes = 0;
  #text = '';

  constructor(call: Call, tally: Tally) {
    this.#call = call;
    this.#tally = tally;
    this.#scan = new StreamScan(call.scenario.form, (ageMs, isFirst) => {
      if (isFirst) tally.firstChunks.add(clockMs() - this.#begunMs);
      tally.chunkAges.add(ageMs);
    });
  }

  get isBusy(): boolean {
    return this.#done !== undefined;
  }

  /** Makes one call; calls back when it has ended, well or not. */
  begin(done: (isGood: boolean) => void): void {
    this.#done = done;
    this.#status = 0;
    this.#bodyBytes = 0;
    this.#text = '';
    this.#scan.begin();
    this.#begunMs = clockMs();
    this.#socket ??= this.#connect();
    this.#socket.write(this.#call.bytes);
  }

  /** Gives up; a call under way counts as an error. */
  stop(words: string): void {
    if (this.isBusy) this.#end(words);
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connect(): Socket {
    const socket = connect({ host: this.#call.host, port: this.#call.port, noDelay: true });
    const isCurrent = () => this.#socket === socket;
    const reader = new HttpReader({
      onHead: (status) => (this.#status = status),
      onBody: (part) => this.#body(part),
      onEnd: (stays) => {
        if (!stays) this.#leave(socket);
        this.#end(this.#fault());
      },
      onFault: (words) => {
        this.#leave(socket);
        this.#end(words);
      },
    });
    socket.on('data', (data) => {
      if (isCurrent()) reader.read(data);
    });
    socket.on('error', (error) => {
      if (!isCurrent()) return;
      this.#leave(socket);
      if (this.isBusy) this.#end(error.message);
    });
    socket.on('close', () => {
      if (!isCurrent()) return;
      if (this.isBusy) reader.close();
      this.#leave(socket);
    });
    return socket;
  }

  #leave(socket: Socket): void {
    if (this.#socket === socket) this.#socket = undefined;
    socket.destroy();
  }

  #body(part: Buffer): void {
    this.#bodyBytes += part.length;
    if (this.#status === 200 && this.#call.scenario.stream) this.#scan.feed(part.toString('latin1'));
    else if (this.#text.length < keptCharactersMax) this.#text += part.toString('latin1');
  }

  #fault(): string | undefined {
    if (this.#status !== 200) return `status ${this.#status}: ${this.#text.slice(0, 300)}`;
    if (this.#call.scenario.stream) return this.#scan.fault(this.#call.scenario.chunks);
    if (this.#bodyBytes < answerBytesMin) return `an answer of ${this.#bodyBytes} bytes`;
    return this.#text.includes(forms[this.#call.scenario.form].wholeUsage) ? undefined : 'no usage';
  }

  #end(fault: string | undefined): void {
    const done = this.#done;
    if (!done) return;
    this.#done = undefined;
    this.#tally.chunks += this.#scan.chunks;
    if (fault === undefined) this.#tally.latencies.add(clockMs() - this.#begunMs);
    else {
      this.#tally.errors++;
      this.#tally.firstError ??= fault;
    }
    done(fault === undefined);
  }
}
