/** A line of a batch's output or error file, in the form of the OpenAI API. */

/** A line that has come to its end, as its row keeps it. */
export interface EndedLine {
  n: number;
  customId: string;
  state: 'completed' | 'failed' | 'expired' | 'cancelled' | 'unknown';
  requestId: string | null;
  statusCode: number | null;
  errorCode: string | null;
}

const errors: Readonly<Record<Exclude<EndedLine['state'], 'completed'>, { code: string; message: string }>> = {
  failed: { code: 'internal_error', message: 'The request could not be carried out.' },
  expired: { code: 'batch_expired', message: 'The request was not run before the completion window was over.' },
  cancelled: { code: 'batch_cancelled', message: 'The request was not run, as the batch was cancelled.' },
  unknown: {
    code: 'outcome_unknown',
    message: 'The request was sent, and its answer was lost. It is not charged, and was not sent again.',
  },
};

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;

/**
 * The bytes of a line, its line feed included. `answer` is the body of what was answered, undefined where nothing was: it
 * is not parsed and written again, so that it stays as the upstream wrote it.
 */
export function outputLine(batchId: string, line: EndedLine, answer: Buffer | undefined): Buffer {
  const id = JSON.stringify(`batch_req_${batchId.replace(/^batch_/, '')}_${line.n}`);
  const head = `{"id":${id},"custom_id":${JSON.stringify(line.customId)},"response":`;
  if (line.statusCode === null || answer === undefined) {
    const { code, message } = line.state === 'completed' ? errors.failed : errors[line.state];
    const error = JSON.stringify({ code: line.errorCode ?? code, message });
    return Buffer.from(`${head}null,"error":${error}}\n`);
  }
  const requestId = JSON.stringify(line.requestId);
  return Buffer.concat([
    Buffer.from(`${head}{"status_code":${line.statusCode},"request_id":${requestId},"body":`),
    inOneLine(answer),
    Buffer.from('},"error":null}\n'),
  ]);
}

/** JSON without line breaks, which it has between its values only. What is no JSON becomes a text. */
function inOneLine(answer: Buffer): Buffer {
  if (!isJson(answer)) return Buffer.from(JSON.stringify(answer.toString('utf8')));
  if (!answer.includes(lineFeed) && !answer.includes(carriageReturn)) return answer;
  return Buffer.from(answer.map((byte) => (byte === lineFeed || byte === carriageReturn ? space : byte)));
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}
