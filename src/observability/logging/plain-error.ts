/**
 * What the log says of an error: type, message, code, where it was thrown, and what caused it. Nothing else of it, since
 * errors carry what they were about: those of PostgreSQL parameters and rows, those of HTTP clients addresses and headers.
 */
export interface PlainError {
  type: string;
  message: string;
  code?: string | number;
  /** Of an answer that was an error. */
  status?: number;
  stack?: string;
  cause?: PlainError;
  errors?: PlainError[];
}

const messageCharactersMax = 1_000;
const framesMax = 20;
const depthMax = 4;
const errorsMax = 3;

/** The error in these words; of anything else that was thrown, only its type. Secrets by their form are the line's matter. */
export function plainError(error: unknown, depth = 0): PlainError {
  if (!(error instanceof Error))
    return { type: typeof error, message: typeof error === 'string' ? shortened(error) : '' };
  const fields = new Map<string, unknown>(Object.entries(error));
  const code = fields.get('code');
  const status = fields.get('status') ?? fields.get('statusCode');
  const stack = framesOf(error.stack);
  const isDeep = depth >= depthMax;
  return {
    type: error.name,
    message: messageOf(error, code),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof status === 'number' && { status }),
    ...(stack !== '' && { stack }),
    ...(error.cause !== undefined && !isDeep && { cause: plainError(error.cause, depth + 1) }),
    ...(error instanceof AggregateError &&
      !isDeep && { errors: error.errors.slice(0, errorsMax).map((each) => plainError(each, depth + 1)) }),
  };
}

/** Two kinds of message quote the value that they complain of, which may be anything: a prompt, a provider's answer. */
function messageOf(error: Error, code: unknown): string {
  // PostgreSQL's class 22, data exceptions: `invalid input syntax for type json: "…"`.
  if (typeof code === 'string' && /^22[0-9A-Z]{3}$/.test(code)) return shortened(error.message.replace(/: ".*$/s, ''));
  // V8 on JSON: `Unexpected token 'a', ..."b": abc"... is not valid JSON`.
  if (error instanceof SyntaxError) return shortened(error.message.replace(/,? (?:\.\.\.)?".*$/s, ''));
  return shortened(error.message);
}

/** Without the message, which stands before the first frame and is logged by itself. */
function framesOf(stack: string | undefined): string {
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return frames
    .slice(0, framesMax)
    .map((line) => line.trim())
    .join('\n');
}

const shortened = (text: string): string =>
  text.length <= messageCharactersMax ? text : `${text.slice(0, messageCharactersMax)}…`;
