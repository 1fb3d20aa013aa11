/** A curl line for each operation, to be pasted as it stands. */
import type { Samples } from '../embedded/samples.ts';

/** Takes the id out of an answer; an answer without one, such as an error, stays as it is and so is seen. */
const id_of_answer = `sed 's/.*"id":"\\([^"]*\\)".*/\\1/'`;
/** Each answer ends its line, and no progress meter gets between. */
const curl = `curl -s -w '\\n'`;

/** Lines with the key in them where it is known, else with `$TOLLGATE_API_KEY`. */
export function curlLines(url: string, key: string | undefined, samples: Samples): string[] {
  const auth = `-H "Authorization: Bearer ${key ?? '$TOLLGATE_API_KEY'}"`;
  const json = `${auth} -H 'Content-Type: application/json'`;
  const entry = (what: string, ...lines: string[]) => [`# ${what}`, ...lines, ''];
  const created = (call: string) => `ID=$(curl -s ${call} | ${id_of_answer}); echo "$ID"`;
  const saved = `-o avatar-talk.mp4 -w '%{http_code} %{content_type} %{size_download} bytes\\n'`;
  return [
    ...entry(
      'Chat, whole and as a stream; code models answer on /v1/responses, too',
      `${curl} ${url}/v1/chat/completions ${json} -d '{"model":"sim-chat","messages":[{"role":"user","content":"Hello"}]}'`,
      `${curl} -N ${url}/v1/chat/completions ${json} -d '{"model":"sim-chat","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`,
      `${curl} ${url}/v1/responses ${json} -d '{"model":"sim-code","input":"A function that adds"}'`,
    ),
    ...entry(
      'An image: the answer has its link',
      `${curl} ${url}/v1/images/generations ${json} -d '{"model":"sim-image","prompt":"A toll gate at dawn","size":"1024x1024"}'`,
    ),
    ...entry(
      'An image, answered with its id at once, and asked for',
      created(`${url}/ai/v1/images/generations ${json} -d '{"model":"sim-image","prompt":"A toll gate at dusk"}'`),
      `${curl} ${url}/ai/v1/images/generations/$ID ${auth}`,
    ),
    ...entry(
      'A video, and its record with the link',
      created(
        `${url}/v1/video/generations ${json} -d '{"model":"sim-video-fast","prompt":"Cars pass a toll gate","duration":5}'`,
      ),
      `${curl} ${url}/v1/video/generations/$ID ${auth}`,
    ),
    ...entry(
      'Avatar-talk: upload a voice and footage, ask until the video is there, and save it; it can be fetched once',
      created(
        `${url}/v1/svctalk/generate ${auth} -F ${part('audio', samples.audio)} -F ${part('video', samples.video)}`,
      ),
      `while curl -s ${saved} ${url}/v1/svctalk/generate/$ID ${auth} && grep -q '"processing"' avatar-talk.mp4; do sleep 1; done`,
    ),
    ...entry(
      'Models, their health, the balance and the ledger',
      `${curl} ${url}/v1/models ${auth}`,
      `${curl} ${url}/api/models/health`,
      `${curl} ${url}/v1/account ${auth}`,
      `${curl} ${url}/v1/account/ledger ${auth}`,
    ),
  ];
}

/** A form part with a file: quoted for curl, to which `;` and `,` in a path mean something, and then for the shell. */
function part(name: string, path: string): string {
  const forCurl = `${name}=@"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  return `'${forCurl.replaceAll("'", `'\\''`)}'`;
}
