/** Audio of calls: the formats that speech may be written in, and how many tokens it is. */

/** As the OpenAI API names them; `pcm` is samples without a head: 24 kHz, 16 bits, one channel. */
export const audioFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type AudioFormat = (typeof audioFormats)[number];

export const mediaTypeOfAudio: Readonly<Record<AudioFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** More than any model in use makes or reads of a second of audio (OpenAI's make 21). For holds and estimates. */
export const audioTokensPerSecond = 25;
