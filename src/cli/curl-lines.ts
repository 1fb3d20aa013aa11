/** A curl line for each operation, to be pasted as it stands. */
import type { Samples } from '../embedded/samples.ts';

/** Lines with the key in them where it is known, else with `$TOLLGATE_API_KEY`. */
export function curlLines(url: string, key: string | undefined, samples: Samples): string[] {
  const auth = `-H "Authorization: Bearer ${key ?? '$TOLLGATE_API_KEY'}"`;
  const json = `${auth} -H 'Content-Type: application/json'`;
  const entry = (what: string, ...lines: string[]) => [`# ${what}`, ...lines, ''];
  return [
    ...entry(
      'An image, answered with its link',
      `curl ${url}/v1/images/generations ${json} -d '{"model":"sim-image","prompt":"A toll gate at dawn","size":"1024x1024"}'`,
    ),
    ...entry(
      'The same at once, and asked for later',
      `ID=$(curl -s ${url}/ai/v1/images/generations ${json} -d '{"model":"sim-image","prompt":"A toll gate at dusk"}' | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`,
      `curl ${url}/ai/v1/images/generations/$ID ${auth}`,
    ),
    ...entry(
      'A video, and asked for again',
      `ID=$(curl -s ${url}/v1/video/generations ${json} -d '{"model":"sim-video-fast","prompt":"Cars pass a toll gate","duration":5}' | tee /dev/stderr | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`,
      `curl ${url}/v1/video/generations/$ID ${auth}`,
    ),
    ...entry(
      'Avatar-talk: upload a voice and footage, then fetch the video, once',
      `ID=$(curl -s ${url}/v1/svctalk/generate ${auth} -H 'Expect:' -F audio=@${samples.audio} -F video=@${samples.video} | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')`,
      `sleep 3; curl -D - -o avatar-talk.mp4 ${url}/v1/svctalk/generate/$ID ${auth}`,
    ),
    ...entry(
      'Models, their health, the balance and the ledger',
      `curl ${url}/v1/models ${auth}`,
      `curl ${url}/api/models/health`,
      `curl ${url}/v1/account ${auth}`,
      `curl ${url}/v1/account/ledger ${auth}`,
    ),
  ];
}
