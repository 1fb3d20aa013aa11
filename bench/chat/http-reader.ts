/** Reads HTTP/1.1 answers off a socket: the status, and the body's parts without their framing. No more than a load generator needs. */

export interface AnswerEvents {
  onHead(status: number): void;
  onBody(part: Buffer): void;
  /** `stays` says whether the connection can carry another call. */
  onEnd(stays: boolean): void;
  onFault(words: string): void;
}

type State = 'head' | 'length' | 'until-close' | 'frame-size' | 'frame' | 'frame-end' | 'trailer';

const headBytesMax = 65_536;
const lineFeed = 10;

export class HttpReader {
  #state: State = 'head';
  #head: Buffer = Buffer.alloc(0);
  #stays = true;
  /** Bytes that the body or the frame still has. */
  #left = 0;
  /** The line under way: a frame's size, or of the trailer. */
  #line = '';
  readonly #events: AnswerEvents;

  constructor(events: AnswerEvents) {
    this.#events = events;
  }

  read(data: Buffer): void {
    let at = 0;
    if (this.#state === 'head') {
      const start = this.#readHead(data);
      if (start === undefined) return;
      data = start;
    }
    while (at < data.length) {
      switch (this.#state) {
        case 'length':
        case 'frame':
        case 'until-close':
          at = this.#readBytes(data, at);
          break;
        case 'frame-size':
        case 'frame-end':
        case 'trailer':
          at = this.#readLine(data, at);
          break;
        case 'head':
          this.#events.onFault('more bytes than the answer has');
          return;
      }
    }
  }

  /** The connection was closed: an answer without a length ends so, any other is cut off. */
  close(): void {
    if (this.#state === 'until-close') this.#end(false);
    else this.#events.onFault('cut off');
  }

  /** Returns what follows the head, once it is whole. */
  #readHead(data: Buffer): Buffer | undefined {
    const all = this.#head.length === 0 ? data : Buffer.concat([this.#head, data]);
    const end = all.indexOf('\r\n\r\n');
    if (end === -1) {
      if (all.length > headBytesMax) this.#events.onFault('an endless head');
      this.#head = all;
      return undefined;
    }
    this.#head = Buffer.alloc(0);
    const head = all.toString('latin1', 0, end);
    this.#stays = !/\r\nconnection: *close/i.test(head);
    const status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (/\r\ntransfer-encoding: *chunked/i.test(head)) this.#state = 'frame-size';
    else if (length === undefined) this.#state = 'until-close';
    else this.#state = 'length';
    this.#left = Number(length ?? 0);
    this.#events.onHead(status);
    if (length === '0') this.#end(this.#stays);
    return all.subarray(end + 4);
  }

  #readBytes(data: Buffer, at: number): number {
    const end = this.#state === 'until-close' ? data.length : Math.min(data.length, at + this.#left);
    this.#events.onBody(data.subarray(at, end));
    this.#left -= end - at;
    if (this.#left === 0 && this.#state === 'length') this.#end(this.#stays);
    else if (this.#left === 0 && this.#state === 'frame') this.#state = 'frame-end';
    return end;
  }

  #readLine(data: Buffer, at: number): number {
    const end = data.indexOf(lineFeed, at);
    if (end === -1) {
      this.#line += data.toString('latin1', at);
      return data.length;
    }
    const line = (this.#line + data.toString('latin1', at, end)).trim();
    this.#line = '';
    if (this.#state === 'frame-end') this.#state = 'frame-size';
    else if (this.#state === 'trailer') {
      if (line === '') this.#end(this.#stays);
    } else {
      this.#left = Number.parseInt(line, 16);
      if (Number.isNaN(this.#left)) this.#events.onFault(`a frame of the size "${line.slice(0, 20)}"`);
      this.#state = this.#left === 0 ? 'trailer' : 'frame';
    }
    return end + 1;
  }

  #end(stays: boolean): void {
    this.#state = 'head';
    this.#events.onEnd(stays);
  }
}
