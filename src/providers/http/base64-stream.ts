/** Decodes base64 as it stands inside a JSON string, while it streams by. */
import { Transform } from 'node:stream';

/**
 * From the inside of a JSON string to the bytes it means. Both alphabets are read, with or without padding, and with
 * the escapes that encoders put in: `\/`, `\u002B`, and line breaks. What is no base64 ends
 * it with the error that `invalid` makes.
 */
export function base64Stream(invalid: (reason: string) => Error): Transform {
  /** An escape that the end of a piece cut. */
  let escape = '';
  /** Characters that are no whole group of four yet. */
  let rest = '';
  let paddings = 0;
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const written = escape + piece.toString('latin1');
      escape = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(written)?.[0] ?? '';
      const text = rest + meant(written.slice(0, written.length - escape.length));
      const body = text.replace(/=+$/, '');
      // Behind the padding may be more of it, but nothing else.
      const isOver = paddings > 0 && body.length > rest.length;
      paddings += text.length - body.length;
      if (isOver || paddings > 2 || !/^[A-Za-z0-9+/_-]*$/.test(body)) {
        done(invalid('the text is no base64'));
        return;
      }
      const whole = body.length - (body.length % 4);
      rest = body.slice(whole);
      done(null, Buffer.from(body.slice(0, whole), 'base64'));
    },
    flush(done) {
      const isCut = rest.length === 1 || (paddings > 0 && rest.length + paddings !== 4);
      if (escape !== '' || isCut) done(invalid('the text ends too early'));
      else done(null, Buffer.from(rest, 'base64'));
    },
  });
}

/** Without escapes and white space; an escape that means nothing here stays as a backslash, which is no base64. */
function meant(written: string): string {
  const plain = written.includes('\\') ? written.replace(/\\(u[0-9a-fA-F]{4}|[^u])/g, unescaped) : written;
  return /[ \t\r\n]/.test(plain) ? plain.replace(/[ \t\r\n]+/g, '') : plain;
}

function unescaped(_: string, code: string): string {
  if (code.length === 5) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  if (code === '/') return code;
  return 'nrt'.includes(code) ? '' : '\\';
}
