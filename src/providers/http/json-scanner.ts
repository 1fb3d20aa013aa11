/** Finds where the values of a JSON text are while it streams by: the text itself is never held. */

/** From the top of the text: names of members and places in arrays. */
export type JsonPath = readonly (string | number)[];

/** The bytes of a value from `start` to before `end`, quotes and braces included. */
export interface JsonSpan {
  type: 'object' | 'array' | 'string' | 'scalar';
  start: number;
  end: number;
}

/** What was written is no JSON, or ends too early, or is nested deeper than anything honest. */
export class NotJson extends Error {
  override readonly name = 'NotJson';
}

const depthMax = 64;
/** Longer names are reported as an empty one: no caller looks for them. */
const nameBytesMax = 64;
/** Of a number. */
const scalarBytesMax = 64;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

type State =
  | 'value'
  | 'value or end'
  | 'name'
  | 'name or end'
  | 'colon'
  | 'comma or end'
  | 'string'
  | 'escape'
  | 'hex'
  | 'scalar'
  | 'whole';

interface Container {
  isObject: boolean;
  start: number;
  index: number;
}

/**
 * Takes the bytes of a JSON text piece by piece and keeps to the whole grammar of RFC 8259, so that nothing inside a
 * string is ever taken for structure. `onValue` is called for each value when it ends, so of members before their object,
 * as deep as `pathLengthMax`; the path is only good during that call. Memory: one small record a level of nesting, of
 * which 64 are allowed, and a name or number of at most 64 bytes.
 */
export class JsonScanner {
  readonly #pathLengthMax: number;
  readonly #onValue: (path: JsonPath, span: JsonSpan) => void;
  readonly #containers: Container[] = [];
  readonly #path: (string | number)[] = [];
  #state: State = 'value';
  /** Of the piece being read. */
  #offset = 0;
  /** Of the string or scalar being read. */
  #start = 0;
  #isName = false;
  /** The name, or the scalar, as far as it was read. */
  #text = '';
  #hexDigits = 0;

  constructor(pathLengthMax: number, onValue: (path: JsonPath, span: JsonSpan) => void) {
    this.#pathLengthMax = pathLengthMax;
    this.#onValue = onValue;
  }

  /** Throws NotJson. */
  write(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#state === 'string') at = this.#inString(piece, at);
      else this.#byte(piece[at] ?? 0, this.#offset + at++);
    }
    this.#offset += piece.length;
  }

  /** Throws NotJson where the text is not whole. */
  end(): void {
    if (this.#state === 'scalar') this.#endScalar(this.#offset);
    if (this.#state !== 'whole') throw new NotJson('it ends too early');
  }

  #byte(byte: number, at: number): void {
    const state = this.#state;
    if (state === 'scalar') {
      if (isSpace(byte) || byte === comma || byte === closeBrace || byte === closeBracket) {
        this.#endScalar(at);
        this.#byte(byte, at);
      } else this.#keepOfScalar(byte);
    } else if (state === 'escape' || state === 'hex') this.#escaped(String.fromCharCode(byte));
    else if (!isSpace(byte)) this.#structure(byte, at);
  }

  #escaped(character: string): void {
    this.#keepOfName(character);
    if (this.#state === 'escape') {
      if (!'"\\/bfnrtu'.includes(character)) throw new NotJson('an escape is unknown');
      this.#hexDigits = 4;
      this.#state = character === 'u' ? 'hex' : 'string';
      return;
    }
    if (!/[0-9a-fA-F]/.test(character)) throw new NotJson('an escape is broken');
    if (--this.#hexDigits === 0) this.#state = 'string';
  }

  #structure(byte: number, at: number): void {
    switch (this.#state) {
      case 'value or end':
        if (byte === closeBracket) this.#close(byte, at);
        else this.#beginValue(byte, at);
        return;
      case 'value':
        this.#beginValue(byte, at);
        return;
      case 'name or end':
      case 'name':
        if (byte === closeBrace && this.#state === 'name or end') this.#close(byte, at);
        else if (byte === quote) this.#beginString(at, true);
        else throw new NotJson('a name is missing');
        return;
      case 'colon':
        if (byte !== colon) throw new NotJson('a colon is missing');
        this.#state = 'value';
        return;
      case 'comma or end':
        if (byte === comma) this.#next();
        else this.#close(byte, at);
        return;
      case 'whole':
        throw new NotJson('something follows the value');
      case 'string':
      case 'escape':
      case 'hex':
      case 'scalar':
        throw new TypeError(`${this.#state} has no structure`);
    }
  }

  #beginValue(byte: number, at: number): void {
    if (byte === quote) {
      this.#beginString(at, false);
      return;
    }
    if (byte !== openBrace && byte !== openBracket) {
      this.#start = at;
      this.#text = String.fromCharCode(byte);
      this.#state = 'scalar';
      return;
    }
    if (this.#containers.length === depthMax) throw new NotJson('it is nested too deep');
    const isObject = byte === openBrace;
    this.#containers.push({ isObject, start: at, index: 0 });
    this.#path.push(isObject ? '' : 0);
    this.#state = isObject ? 'name or end' : 'value or end';
  }

  #beginString(at: number, isName: boolean): void {
    this.#start = at;
    this.#isName = isName;
    this.#text = '';
    this.#state = 'string';
  }

  /** Most bytes of an answer with images are read here. */
  #inString(piece: Buffer, from: number): number {
    let at = from;
    let byte = 0;
    for (; at < piece.length; at++) {
      byte = piece[at] ?? 0;
      if (byte === quote || byte === backslash || byte < 0x20) break;
    }
    if (this.#isName && this.#text.length <= nameBytesMax) {
      this.#keepOfName(piece.toString('latin1', from, Math.min(at, from + nameBytesMax + 1)));
    }
    if (at === piece.length) return at;
    if (byte < 0x20) throw new NotJson('a string has a control character');
    if (byte === backslash) {
      this.#keepOfName('\\');
      this.#state = 'escape';
    } else if (this.#isName) {
      this.#path[this.#path.length - 1] = this.#name();
      this.#state = 'colon';
    } else this.#endValue('string', this.#start, this.#offset + at + 1);
    return at + 1;
  }

  #name(): string {
    if (this.#text.length > nameBytesMax) return '';
    const name: unknown = JSON.parse(`"${this.#text}"`);
    return String(name);
  }

  #keepOfName(text: string): void {
    if (this.#isName && this.#text.length <= nameBytesMax) this.#text += text;
  }

  #keepOfScalar(byte: number): void {
    if (this.#text.length === scalarBytesMax) throw new NotJson('a number is too long');
    this.#text += String.fromCharCode(byte);
  }

  #endScalar(end: number): void {
    if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(this.#text)) {
      throw new NotJson('a value is none');
    }
    this.#endValue('scalar', this.#start, end);
  }

  #endValue(type: JsonSpan['type'], start: number, end: number): void {
    this.#state = this.#containers.length === 0 ? 'whole' : 'comma or end';
    if (this.#path.length <= this.#pathLengthMax) this.#onValue(this.#path, { type, start, end });
  }

  #next(): void {
    const container = this.#containers.at(-1);
    if (container?.isObject === false) {
      this.#path[this.#path.length - 1] = ++container.index;
      this.#state = 'value';
    } else this.#state = 'name';
  }

  #close(byte: number, at: number): void {
    const container = this.#containers.pop();
    if (container === undefined || byte !== (container.isObject ? closeBrace : closeBracket)) {
      throw new NotJson('a comma or an end is missing');
    }
    this.#path.pop();
    this.#endValue(container.isObject ? 'object' : 'array', container.start, at + 1);
  }
}

const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
