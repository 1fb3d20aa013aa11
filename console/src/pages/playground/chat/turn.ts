/** One turn of a conversation: what was asked, what was answered, or what a tool gave. */
import { isRecord, listOf, recordOf, textOf, textsOf } from '../../../parts/json.ts';

/** A call of one of the request's tools, as the model wrote it. */
export interface ToolCall {
  id: string;
  name: string;
  /** JSON, if the model keeps to it. */
  input: string;
}

/** A file that is sent along. */
export interface Attachment {
  name: string;
  /** Its media type. */
  type: string;
  bytes: number;
  /** A data URI; null once it is no longer here, as after a reload: then it is not sent again. */
  address: string | null;
}

export interface Turn {
  /** `system`: of instructions between the messages, which only requests of programs have. */
  role: 'user' | 'assistant' | 'tool' | 'system';
  text: string;
  /** Addresses that were sent with it. */
  images: readonly string[];
  files: readonly Attachment[];
  /** What a model thought before its answer. */
  thoughts: string;
  calls: readonly ToolCall[];
  /** Of a tool's result: the call that it answers. */
  callId: string | null;
  /** Of an answer: the model that was asked. */
  model: string;
  /** Of an answer: the request that finds its cost in the ledger. */
  requestId: string | null;
  end: 'running' | 'whole' | 'length' | 'stopped' | 'broken' | null;
  /** From the request to the first piece of the answer, and to its end; null where that isn't known. */
  firstMs: number | null;
  wholeMs: number | null;
  /** As a program said it, where the fields above can't say all of it; sent as it is. */
  message: Readonly<Record<string, unknown>> | null;
}

/** A turn with what is given, and nothing else. */
export const turnOf = (given: Partial<Turn> & Pick<Turn, 'role'>): Turn => ({
  ...{ text: '', images: [], files: [], thoughts: '', calls: [], callId: null },
  ...{ model: '', requestId: null, end: null, firstMs: null, wholeMs: null },
  message: null,
  ...given,
});

/** Returns the calls of the last answer that no turn behind it answers. */
export function openCallsOf(turns: readonly Turn[]): readonly ToolCall[] {
  const last = turns.findLastIndex(({ role }) => role === 'assistant');
  const answered = turns.slice(last + 1).map(({ callId }) => callId);
  return (turns[last]?.calls ?? []).filter(({ id }) => !answered.includes(id));
}

/** The turns as they are kept: files are left out, which no storage of a browser has room for. */
export const keepable = (turns: readonly Turn[]): Turn[] =>
  turns.map((turn) => ({ ...turn, files: turn.files.map((file) => ({ ...file, address: null })) }));

/** Reads turns that were kept; what is no turn is left out. */
export const readTurns = (stored: unknown): Turn[] => listOf(stored).filter(isRecord).flatMap(readTurn);

const roles = ['user', 'assistant', 'tool', 'system'] as const;
const ends = ['whole', 'length', 'stopped', 'broken'] as const;

function readTurn(stored: Readonly<Record<string, unknown>>): Turn[] {
  const role = roles.find((one) => one === stored['role']);
  if (role === undefined) return [];
  return [
    turnOf({
      ...{
        role,
        text: textOf(stored['text']),
        images: textsOf(stored['images']),
        thoughts: textOf(stored['thoughts']),
      },
      files: listOf(stored['files']).map(readFile),
      calls: listOf(stored['calls']).map(readCall),
      ...{ callId: textOrNull(stored['callId']), model: textOf(stored['model']) },
      requestId: textOrNull(stored['requestId']),
      end: ends.find((one) => one === stored['end']) ?? null,
      ...{ firstMs: numberOrNull(stored['firstMs']), wholeMs: numberOrNull(stored['wholeMs']) },
      message: isRecord(stored['message']) ? stored['message'] : null,
    }),
  ];
}

function readFile(stored: unknown): Attachment {
  const { name, type, bytes } = recordOf(stored);
  return { name: textOf(name), type: textOf(type), bytes: numberOrNull(bytes) ?? 0, address: null };
}

function readCall(stored: unknown): ToolCall {
  const { id, name, input } = recordOf(stored);
  return { id: textOf(id), name: textOf(name), input: textOf(input) };
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);
