/** The calls of a drill, each as a client sends it, and how its answer shows that it is whole. */
import type { CallStep } from './steps.ts';

export interface DrillCall {
  path: string;
  /** What its caller is in the middle of meanwhile. */
  step: CallStep;
  init: Pick<RequestInit, 'body' | 'headers'>;
  /** Whether this answer, read as text, came to its end. */
  isWhole: (text: string) => boolean;
}

export const callKindNames = [
  'chat',
  'embeddings',
  'moderations',
  'rerank',
  'speech',
  'transcription',
  'translation',
] as const;
export type CallKind = (typeof callKindNames)[number];

/** Of the text that is spoken here, at 288 bytes a character: less of it was broken off. */
const speechBytesMin = 288 * 'The gate is open.'.length;

/** By kind: a call that its model takes so many milliseconds to answer. */
export const callKinds: Readonly<Record<CallKind, (delayMs: number, uploads: { audio: Buffer }) => DrillCall>> = {
  chat: (delayMs) =>
    jsonCall('/v1/chat/completions', {
      wanted: { ...chat, messages: [{ role: 'user', content: `Tell me of the gate. ${knob(delayMs)}` }] },
      isWhole: (text) => text.includes('data: [DONE]'),
    }),
  embeddings: (delayMs) =>
    jsonCall('/v1/embeddings', {
      wanted: { model: 'sim-embedding', input: [`The toll gate at dusk ${knob(delayMs)}`, 'A bridge'] },
      isWhole: (text) => hasWhole(text, '"embedding"'),
    }),
  moderations: (delayMs) =>
    jsonCall('/v1/moderations', {
      wanted: { model: 'sim-moderation', input: `Pay your toll, friend ${knob(delayMs)}` },
      isWhole: (text) => hasWhole(text, '"flagged"'),
    }),
  rerank: (delayMs) =>
    jsonCall('/v1/rerank', {
      wanted: { model: 'sim-rerank', query: `the toll ${knob(delayMs)}`, documents: ['A bridge', 'The toll gate'] },
      isWhole: (text) => hasWhole(text, '"relevance_score"'),
    }),
  speech: (delayMs) =>
    jsonCall('/v1/audio/speech', {
      wanted: { model: 'sim-speech', voice: 'alloy', input: `The gate is open. ${knob(delayMs)}` },
      isWhole: ({ length }) => length > speechBytesMin,
    }),
  transcription: (delayMs, uploads) => formCall('/v1/audio/transcriptions', delayMs, uploads),
  translation: (delayMs, uploads) => formCall('/v1/audio/translations', delayMs, uploads),
};

/** How many calls of each kind were made, and how many of them had no whole answer. */
export type CallCounts = Readonly<Record<CallKind, { made: number; brokenOff: number }>>;

export const newCallCounts = (): CallCounts => ({
  chat: noCalls(),
  embeddings: noCalls(),
  moderations: noCalls(),
  rerank: noCalls(),
  speech: noCalls(),
  transcription: noCalls(),
  translation: noCalls(),
});

const noCalls = () => ({ made: 0, brokenOff: 0 });

const chat = { model: 'sim-chat', stream: true, max_tokens: 60 };

const knob = (delayMs: number): string => `[sim:delay=${delayMs}ms]`;

/** JSON that holds this and was not broken off. */
const hasWhole = (text: string, part: string): boolean => text.includes(part) && text.endsWith('}');

const jsonCall = (
  path: string,
  { wanted, isWhole }: { wanted: unknown; isWhole: DrillCall['isWhole'] },
): DrillCall => ({
  path,
  step: 'call under way',
  init: { body: JSON.stringify(wanted), headers: { 'Content-Type': 'application/json' } },
  isWhole,
});

function formCall(path: string, delayMs: number, { audio }: { audio: Buffer }): DrillCall {
  const form = new FormData();
  form.set('model', 'sim-transcription');
  form.set('prompt', `A voice at the gate ${knob(delayMs)}`);
  form.set('file', new Blob([new Uint8Array(audio)]), 'voice.wav');
  return { path, step: 'upload under way', init: { body: form }, isWhole: (text) => hasWhole(text, '"text"') };
}
