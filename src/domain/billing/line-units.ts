/** The units of a call's price, and of what an entry sells of it. */

export const inputUnits = [
  'input_token',
  'cached_input_token',
  'cache_write_token',
  'cache_write_1h_token',
  'audio_input_token',
  'image_input_token',
] as const;
export const outputUnits = ['output_token', 'audio_output_token', 'image_output_token'] as const;
const tokenUnits = [...inputUnits, ...outputUnits] as const;
export const lineUnits = [
  ...tokenUnits,
  'character',
  'second',
  'search',
  'tool_call',
  'call',
  'minimum_charge',
] as const;
export type LineUnit = (typeof lineUnits)[number];

export type TokenUnit = (typeof tokenUnits)[number];

export const isTokenUnit = (unit: LineUnit): unit is TokenUnit => unit.endsWith('_token');

/** What an entry of a call sells. */
export const soldUnits = ['token', 'character', 'second', 'search', 'call'] as const;
export type SoldUnit = (typeof soldUnits)[number];

/** Whether a unit is one that a call is charged by in the place of tokens. */
export const isMeasuredUnit = (unit: LineUnit): unit is Exclude<SoldUnit, 'token'> =>
  soldUnits.some((sold) => sold === unit);
