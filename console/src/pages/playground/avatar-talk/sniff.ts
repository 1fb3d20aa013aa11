/** What a chosen file is, by its first bytes, its size and its length: checked before an upload of many MB is refused. */
import type { Facts } from '../shared/facts.ts';
import type { ChosenFile } from '../shared/file-drop.tsx';
import { mediaSeconds } from '../shared/media-seconds.ts';

export type FileName = 'audio' | 'video';

export type Mistake = 'empty' | 'noAudio' | 'noVideo' | 'tooLarge' | 'tooLong';

export interface Chosen extends ChosenFile {
  mistake: Mistake | undefined;
}

const headBytes = 16;

/** Looks into a file. Never fails: what can't be read is a mistake. */
export async function look(name: FileName, file: File, { uploads }: Facts): Promise<Chosen> {
  const mistake = await mistakeOf(name, file, uploads);
  if (mistake !== undefined) return { file, seconds: null, mistake };
  const seconds = await mediaSeconds(name, file);
  const isTooLong = name === 'audio' && seconds !== null && seconds > uploads.audio_seconds;
  return { file, seconds, mistake: isTooLong ? 'tooLong' : undefined };
}

async function mistakeOf(name: FileName, file: File, uploads: Facts['uploads']): Promise<Mistake | undefined> {
  if (file.size === 0) return 'empty';
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  if (name === 'audio' && !isSound(head)) return 'noAudio';
  if (name === 'video' && ascii(head, 4, 8) !== 'ftyp') return 'noVideo';
  return file.size > (name === 'audio' ? uploads.audio_bytes : uploads.video_bytes) ? 'tooLarge' : undefined;
}

/** A RIFF file of kind WAVE, an ID3 tag, or a frame of MPEG audio. */
function isSound(head: Uint8Array): boolean {
  if (ascii(head, 0, 4) === 'RIFF') return ascii(head, 8, 12) === 'WAVE';
  return ascii(head, 0, 3) === 'ID3' || (head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0);
}

const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.slice(from, to));
