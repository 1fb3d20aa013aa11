/** 32 random hexadecimal digits; browsers have `crypto.randomUUID` on https and localhost only. */
export const randomHex = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
