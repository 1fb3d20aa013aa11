/** How long an Opus packet lasts, by its first bytes (RFC 6716, section 3.1). */

const silkMs = [10, 20, 40, 60] as const;
const hybridMs = [10, 20] as const;
const celtMs = [2.5, 5, 10, 20] as const;

/** Bytes of a packet that say it; an empty packet, or one of a byte, lasts what these say. */
export const opusHeadBytes = 2;

/** Seconds of a packet that begins with these two bytes. */
export function opusPacketSeconds(first: number, second: number): number {
  const configuration = first >>> 3;
  const ms = frameMs(configuration);
  const code = first & 3;
  const frames = code === 3 ? second & 63 : Math.min(code, 1) + 1;
  return (frames * ms) / 1000;
}

function frameMs(configuration: number): number {
  if (configuration < 12) return silkMs[configuration & 3] ?? 0;
  if (configuration < 16) return hybridMs[configuration & 1] ?? 0;
  return celtMs[configuration & 3] ?? 0;
}
