/** A caller's body as the upstream gets it: the same bytes, but for the model's name and the wish for usage. */
import { foldedName } from '../json/folded-name.ts';
import { jsonMembers, type JsonMembers } from './json-members.ts';

interface Edit {
  start: number;
  end: number;
  bytes: Buffer;
}

const usageWish = Buffer.from('{"include_usage":true}');
const wishMember = Buffer.from('"include_usage":true');
const wishMemberFirst = Buffer.from('"include_usage":true,');
const optionsMember = Buffer.from('"stream_options":{"include_usage":true}');
const optionsMemberFirst = Buffer.from('"stream_options":{"include_usage":true},');
const wishName = 'include_usage';
const yes = Buffer.from('true');

/** The members of a body that are changed on its way. */
export const splicedNames = ['model', 'stream_options'] as const;

/**
 * The body in pieces: every top-level `model` becomes `model`, and with `includeUsage` the top-level `stream_options`
 * get `include_usage: true`, in every spelling that some reader takes for that name. Pieces are views of the caller's
 * bytes, but for the few new ones; a body that needs no change comes back as itself. The bytes must be a JSON object
 * (it was parsed before); throws TypeError when they aren't. `members` are those of `splicedNames`, for a body that was looked through before.
 */
export function spliceChatBody(
  bytes: Buffer,
  wanted: { model: string; includeUsage: boolean },
  members: JsonMembers = jsonMembers(bytes, splicedNames),
): Buffer[] {
  const { found, inside, count } = members;
  const model = Buffer.from(JSON.stringify(wanted.model));
  const edits: Edit[] = [];
  let hasOptions = false;
  for (const { name, start, end } of found) {
    if (name === 'model') {
      replace(edits, bytes, { start, end, bytes: model });
    } else if (wanted.includeUsage) {
      hasOptions = true;
      wishForUsage(edits, bytes, start, end);
    }
  }
  if (wanted.includeUsage && !hasOptions) {
    edits.unshift({ start: inside, end: inside, bytes: count === 0 ? optionsMember : optionsMemberFirst });
  }
  return edited(bytes, edits);
}

/** A body with a model that had none, as its first member; it has others. */
export function addModel(bytes: Buffer, model: string): Buffer {
  const { inside } = jsonMembers(bytes, []);
  return Buffer.concat([
    bytes.subarray(0, inside),
    Buffer.from(`"model":${JSON.stringify(model)},`),
    bytes.subarray(inside),
  ]);
}

/** Whatever isn't an object was found to be null, so it is replaced whole. */
function wishForUsage(edits: Edit[], bytes: Buffer, start: number, end: number): void {
  if (bytes[start] !== 0x7b) {
    edits.push({ start, end, bytes: usageWish });
    return;
  }
  const { found, inside, count } = jsonMembers(bytes, undefined, start);
  if (!found.some(({ name }) => name === wishName)) {
    edits.push({ start: inside, end: inside, bytes: count === 0 ? wishMember : wishMemberFirst });
  }
  // A reader that ignores case takes the last of them: an `Include_Usage` of false would leave the call unmetered.
  for (const wish of found) {
    if (foldedName(wish.name) === wishName) replace(edits, bytes, { start: wish.start, end: wish.end, bytes: yes });
  }
}

function replace(edits: Edit[], bytes: Buffer, edit: Edit): void {
  const isSame =
    edit.end - edit.start === edit.bytes.length &&
    bytes.compare(edit.bytes, 0, edit.bytes.length, edit.start, edit.end) === 0;
  if (!isSame) edits.push(edit);
}

function edited(bytes: Buffer, edits: readonly Edit[]): Buffer[] {
  if (edits.length === 0) return [bytes];
  const pieces: Buffer[] = [];
  let at = 0;
  for (const edit of edits) {
    if (edit.start > at) pieces.push(bytes.subarray(at, edit.start));
    pieces.push(edit.bytes);
    at = edit.end;
  }
  if (at < bytes.length) pieces.push(bytes.subarray(at));
  return pieces;
}
