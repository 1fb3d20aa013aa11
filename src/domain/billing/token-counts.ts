/** How many tokens of each kind a call used, how often hosted tools ran, and what else is counted. The counts are disjoint: each token is in one. */

export interface TokenCounts {
  /** Of the prompt, text that no cache had and none was given. */
  fresh: number;
  cacheRead: number;
  /** Written to a cache that keeps it for five minutes, or as long as the provider's cache does. */
  cacheWrite5m: number;
  cacheWrite1h: number;
  audioIn: number;
  imageIn: number;
  /** Text, thoughts included. */
  output: number;
  audioOut: number;
  imageOut: number;
  /** A part of `output`, for information. */
  reasoning: number;
  /** Of a text that is spoken, as code points. */
  characters: number;
  /** Of audio; a begun one counts. */
  seconds: number;
  /** Of documents: what providers call search units. */
  searches: number;
  /** By the tool's name, such as `web_search`. */
  toolCalls: Readonly<Record<string, number>>;
}

/** What the gateway can count itself, besides tokens. */
export type MeasuredCounts = Pick<TokenCounts, 'characters' | 'seconds' | 'searches'>;

export const nothingMeasured: MeasuredCounts = { characters: 0, seconds: 0, searches: 0 };

export const noToolCalls: TokenCounts['toolCalls'] = {};

/** Returns counts of which only some are known to be there. Spelt out: spreading them costs every call a microsecond. */
export const countsOf = (known: Partial<TokenCounts>): TokenCounts => ({
  fresh: known.fresh ?? 0,
  cacheRead: known.cacheRead ?? 0,
  cacheWrite5m: known.cacheWrite5m ?? 0,
  cacheWrite1h: known.cacheWrite1h ?? 0,
  audioIn: known.audioIn ?? 0,
  imageIn: known.imageIn ?? 0,
  output: known.output ?? 0,
  audioOut: known.audioOut ?? 0,
  imageOut: known.imageOut ?? 0,
  reasoning: known.reasoning ?? 0,
  characters: known.characters ?? 0,
  seconds: known.seconds ?? 0,
  searches: known.searches ?? 0,
  toolCalls: known.toolCalls ?? noToolCalls,
});

/** Returns the whole prompt, caches included. */
export const promptTokens = (counts: TokenCounts): number =>
  counts.fresh + counts.cacheRead + counts.cacheWrite5m + counts.cacheWrite1h + counts.audioIn + counts.imageIn;

/** Returns the whole output. */
export const outputTokens = ({ output, audioOut, imageOut }: TokenCounts): number => output + audioOut + imageOut;
