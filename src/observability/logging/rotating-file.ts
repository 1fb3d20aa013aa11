/** A log file that no other user may read and that doesn't grow without limit: full, it becomes `<name>.1`, and that one `.2`. */
import { chmodSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import pino from 'pino';

const fileBytesMax = 20 * 1024 * 1024;
/** With the one that is written. */
const filesMax = 3;
const ownerOnly = 0o600;

export interface LogFile {
  write(line: string): void;
}

/** Appends lines to the file; each is written when this returns. Older files that are one too many are overwritten. */
export function rotatingFile(path: string, bytesMax = fileBytesMax): LogFile {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = pino.destination({ dest: path, append: true, mode: ownerOnly, sync: true });
  chmodSync(path, ownerOnly); // a file of before may be older than this rule
  let bytes = statSync(path).size;
  return {
    write(line) {
      const length = Buffer.byteLength(line);
      if (bytes > 0 && bytes + length > bytesMax) {
        bytes = 0; // whatever comes of it: a log that can't be moved goes on growing, and is tried again later
        if (isRotated(path)) file.reopen();
      }
      bytes += length;
      file.write(line);
    },
  };
}

/** No request may fail because its line finds no room. */
function isRotated(path: string): boolean {
  try {
    for (let older = filesMax - 1; older > 0; older--) {
      const younger = older === 1 ? path : `${path}.${older - 1}`;
      if (existsSync(younger)) renameSync(younger, `${path}.${older}`);
    }
    return true;
  } catch {
    return false;
  }
}
