/** One write for all lines that are logged in one turn of the event loop. */

export interface LineWriter {
  write(lines: string): void;
}

/** What a pipe takes as a whole: processes that share one would otherwise write into each other's lines (POSIX: PIPE_BUF). */
const bytesMax = 4096;

const waiting = new Set<() => void>();
process.on('exit', () => {
  for (const write of waiting) write();
});

/**
 * Writes lines at the end of the turn in which they came, or when the process exits before that; those of a turn in which
 * it is killed are lost. Under load a turn ends dozens of calls, whose lines would be a system call of 4 µs each.
 */
export function onceATurn(out: LineWriter): LineWriter {
  let lines = '';
  let bytes = 0;
  const write = () => {
    if (!waiting.delete(write)) return;
    const written = lines;
    lines = '';
    bytes = 0;
    out.write(written);
  };
  return {
    write(line) {
      const lineBytes = Buffer.byteLength(line);
      if (bytes + lineBytes > bytesMax) write();
      lines += line;
      bytes += lineBytes;
      if (waiting.has(write)) return;
      waiting.add(write);
      setImmediate(write);
    },
  };
}
